"""An event loop in which time costs nothing and the seed decides what happens first."""

import asyncio
import heapq
from collections import deque
from contextvars import ContextVar, copy_context

MACHINE = ContextVar("machine", default="people")
"""The machine that runs now."""
MOST_STEPS = 60_000


class Violation(Exception):
    """A promise is broken."""


class _Ready:
    """Callbacks that are ready, by machine. A machine runs its own in order, as asyncio promises; the seed decides which is next."""

    def __init__(self, loop):
        self.loop, self.lanes, self.graves = loop, {}, {}

    def append(self, handle):
        machine = handle._context.get(MACHINE, "people")
        lanes = self.graves if machine in self.loop.dead else self.lanes
        lanes.setdefault(machine, deque()).append(handle)

    def pop(self):
        names = list(self.lanes)
        name = names[0] if len(names) == 1 else self.loop.chance.choice(names)
        handle = self.lanes[name].popleft()
        if not self.lanes[name]:
            del self.lanes[name]
        return handle

    def __len__(self):
        return len(self.lanes)

    def clear(self):
        self.lanes.clear()
        self.graves.clear()


class Loop(asyncio.BaseEventLoop):
    """Runs several machines. Sleeping takes no time; what runs in threads elsewhere is one step here, after a moment."""

    def __init__(self, chance):
        super().__init__()
        self.chance, self.now, self.steps = chance, 0.0, 0
        self.dead, self.tasks = set(), set()
        self.problem = None
        self.closing = False
        self._ready = _Ready(self)
        self.set_task_factory(self._task)

    def time(self):
        return self.now

    def fail(self, problem):
        """A promise is broken: the run ends with the first problem."""
        if self.problem is None and not self.closing:
            self.problem = problem if isinstance(problem, BaseException) else Violation(problem)

    def call_exception_handler(self, context):
        self.fail(context.get("exception") or context["message"])

    def _task(self, loop, coroutine, **more):
        task = asyncio.Task(coroutine, loop=loop, **more)
        self.tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task):
        self.tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.fail(task.exception())

    def _run_once(self):
        if self.problem is not None and not self.closing:
            raise self.problem
        self.steps += 1
        if self.steps > MOST_STEPS and not self.closing:
            raise Violation("something goes round in circles")
        if self._ready:
            handle = self._ready.pop()
            if not handle._cancelled:
                handle._run()
        elif self._scheduled:
            handle = heapq.heappop(self._scheduled)
            handle._scheduled = False
            if handle._cancelled:
                self._timer_cancelled_count -= 1
            else:
                self.now = max(self.now, handle._when)
                self._ready.append(handle)
        else:
            raise Violation("everybody waits for somebody")

    def _write_to_self(self):
        pass

    def _process_events(self, events):
        pass

    def run_in_executor(self, executor, work, *arguments):
        done = self.create_future()

        def run():
            if not done.done():
                try:
                    done.set_result(work(*arguments))
                except Exception as problem:
                    done.set_exception(problem)

        self.call_later(self.chance.uniform(0.0, 0.02), run)
        return done

    def machine(self, name):
        """A context: what is started in it runs on this machine."""
        context = copy_context()
        context.run(MACHINE.set, name)
        return context

    def kill(self, name):
        """A machine stops between two steps. Nothing of it runs any more."""
        self.dead.add(name)
        if name in self._ready.lanes:
            self._ready.graves[name] = self._ready.lanes.pop(name)

    def bury(self):
        """End everything, also what was left over on dead machines."""
        self.closing, self.steps = True, 0
        self.dead.clear()
        self._ready.lanes.update(self._ready.graves)
        asyncio._set_running_loop(self)
        try:
            while self.tasks and self.steps < MOST_STEPS:
                for task in self.tasks:
                    task.cancel()
                while self.tasks and self._ready:
                    self._run_once()
        finally:
            asyncio._set_running_loop(None)
        self._ready.clear()
        self._scheduled.clear()
        self.close()
