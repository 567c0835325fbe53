"""The settings: `Config.load()`, and what hands them on."""

from cdp_agent.config.keywords import agent_keywords as agent_keywords
from cdp_agent.config.keywords import connect_keywords as connect_keywords
from cdp_agent.config.keywords import launch_keywords as launch_keywords
from cdp_agent.config.settings import Config as Config
