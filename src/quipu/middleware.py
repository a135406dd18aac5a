"""Memory around an agent, in three lines.

from quipu.middleware import Middleware

with Middleware(space="home", user="ana") as around:
    agent = around(agent)
    agent("What shall I cook?")
"""

from quipu.interfaces.middleware.middleware import Middleware
from quipu.interfaces.middleware.model import Metrics, Recalled
from quipu.interfaces.middleware.prompt import last_of_user, message_of, text_of
from quipu.interfaces.middleware.wrapper import Turn

__all__ = ["Metrics", "Middleware", "Recalled", "Turn", "last_of_user", "message_of", "text_of"]
