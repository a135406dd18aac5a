"""Sources: a module for each system that memories may come from; pure readers, none of which writes."""
