"""Language work by a model that somebody serves: asked in a shape, checked, counted, and never needed."""
