"""The lab: what many games tell a designer. Plan, run, statistics, report; see docs/lab.md."""

from rulestone.lab.plan import Plan, make_plan
from rulestone.lab.study import Study, study

__all__ = ["Plan", "Study", "make_plan", "study"]
