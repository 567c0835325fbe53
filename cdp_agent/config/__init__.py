"""The settings: `Config.load()`, and functions that derive keywords, endpoints and secrets from them."""

from cdp_agent.config.keywords import agent_keywords as agent_keywords
from cdp_agent.config.keywords import connect_keywords as connect_keywords
from cdp_agent.config.keywords import endpoint_of as endpoint_of
from cdp_agent.config.keywords import launch_keywords as launch_keywords
from cdp_agent.config.keywords import page_keywords as page_keywords
from cdp_agent.config.keywords import resume_keywords as resume_keywords
from cdp_agent.config.keywords import secrets_of as secrets_of
from cdp_agent.config.keywords import steps_keywords as steps_keywords
from cdp_agent.config.keywords import trace_of as trace_of
from cdp_agent.config.settings import Config as Config
