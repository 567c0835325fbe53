"""All policies: importing this registers them."""

from . import clicking, dragging, drawings, forms, live, mail, writing
from .play import POLICIES

__all__ = ["POLICIES", "clicking", "dragging", "drawings", "forms", "live", "mail", "writing"]
