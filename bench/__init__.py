"""The benchmark of `make bench`: `python -m bench` from the project root. See docs/benchmarks.md."""
