"""The lab: what a designer learns from many games. Plan, run, statistics, report; see docs/lab.md."""

from rulestone.lab.plan import Plan, make_plan
from rulestone.lab.study import Study, study

__all__ = ["Plan", "Study", "make_plan", "study"]
