"""One turn of the loop: asks the model, runs the tool calls of its reply, and tells it the results."""

from __future__ import annotations

import msgspec

from cdp_agent.agent.batch import Batch
from cdp_agent.agent.model import prompts
from cdp_agent.agent.model.budget import OverBudget
from cdp_agent.agent.model.model_calls import Generation
from cdp_agent.agent.observation.stuck_detector import Stuck
from cdp_agent.agent.state import recovery
from cdp_agent.agent.state.compaction import make_room
from cdp_agent.agent.state.recovery import observe
from cdp_agent.agent.state.run import End, Run
from cdp_agent.agent.toolset import offered, spec_of
from cdp_agent.errors import ContextTooLong, ModelError
from cdp_agent.events import AgentReasoned, AgentStatus, AiGenerationError
from cdp_agent.outcome import TaskError
from cdp_agent.providers.base import Assistant, Request, ToolCall
from cdp_agent.session.calls import Call, parse_call_on, perform
from cdp_agent.tools.base import Answer

_MOST_NARROWINGS = 4
_FEW_TURNS = (5, 2)
"""The numbers of turns left at which the model is told so."""


async def take_turn(run: Run) -> None:
    """Asks the model once and runs the tool calls of its reply; ends the run if the reply does."""
    generation = await _generate(run)
    reply = generation.reply
    # Some providers refuse a message without any content.
    words = reply.text or ("" if reply.tool_calls else "(nothing)")
    run.history.add_reply(Assistant(words, reply.tool_calls, reply.state))
    if thought := (reply.reasoning or reply.text).strip():
        run.emit(AgentReasoned(**run.stamp, reasoning=thought))
    if not reply.tool_calls:
        generation.tell(run.log)
        run.history.add_user_message(prompts.CUT_OFF if reply.finish_reason == "length" else prompts.NO_TOOL_CALL)
        run.emit(
            AiGenerationError(**run.stamp, kind="NoToolCall", message="The model called no tool; it is asked again.")
        )
        run.usage.failed()
        return
    batch = Batch(run, reply.tool_calls)
    try:
        await batch.run()
    finally:
        generation.tell(run.log, *batch.counts)
    refusal = None
    if batch.answer is not None:
        refusal = await _conclude(run, batch.answer)
        if refusal is None:
            return
    if batch.stuck is Stuck.END:
        run.fail("stuck", "Turn after turn nothing new was seen or told: the run does not get any further.")
    await _add_results(run, batch, refusal)


async def _generate(run: Run) -> Generation:
    """The model's next reply. The conversation is shortened first if it is too long for the model."""
    for narrowings_left in range(_MOST_NARROWINGS, -1, -1):
        if run.history.tokens > run.window_tokens:
            await make_room(run)
        try:
            return await run.models.generate(_request(run), "action")
        except ContextTooLong:  # the model accepts fewer tokens than was assumed
            if not narrowings_left:
                raise
            run.narrow()
        except ModelError as error:
            if not run.vision.drop_refused_pictures(run.history, error):
                raise
    raise AssertionError("the last attempt returns or raises")


def _request(run: Run) -> Request:
    specs = tuple(map(spec_of, offered(run, run.task.text)))
    refs = run.observer.refs if run.models.client.constrained else None
    return Request(run.models.endpoint.model, run.history.messages(), specs, "required", continued=True, refs=refs)


async def _conclude(run: Run, answer: Answer) -> str | None:
    """Ends the run with this answer and returns None, or returns why it is not accepted."""
    from cdp_agent.agent.judge import validator  # late: its dependencies take long to import

    return await (validator.conclude(run, answer) if answer.success else validator.confirm_abort(run, answer.result))


async def take_last_turn(run: Run, limit: TaskError) -> None:
    """Asks the model once more when a run has reached a limit without an answer, so that what was found is not lost.

    Nothing but done and abort is carried out. The run ends at the limit, unless an answer is accepted.
    """
    run.end = None
    run.history.add_user_message(prompts.LAST_TURN.format(why=limit.message))
    answer: Answer | None = None
    try:
        generation = await _generate(run)
        generation.tell(run.log)
        answer = await _answer_in(run, generation.reply.tool_calls)
        if answer is not None and answer.success:
            await _conclude(run, answer)
    except (ModelError, OverBudget):
        pass  # the limit is the reason that counts
    concluded: End | None = run.end
    if concluded is not None:
        run.end = concluded if concluded.error is None else msgspec.structs.replace(concluded, error=limit)
    elif answer is not None and run.task.form is None:
        run.end = End(answer.result, limit, "forced" if answer.success else None)
    else:
        run.end = End(error=run.budget.spent or limit)


async def _answer_in(run: Run, calls: tuple[ToolCall, ...]) -> Answer | None:
    """The answer that one of the calls gives, None if none does."""
    for call in calls:
        parsed = await parse_call_on(run.tabs.page, call, run.tools)
        if isinstance(parsed, Call) and parsed.tool.terminal:
            answer = await perform(parsed, run.context())
            return answer if isinstance(answer, Answer) else None
    return None


async def _add_results(run: Run, batch: Batch, refusal: str | None) -> None:
    """Adds the results of the model's calls to the conversation, and what it has not seen of the page yet."""
    results, notes = batch.results(refusal), []
    if batch.lost is not None:
        notes.append(await recovery.recover(run, batch.lost))
    seen = None
    if batch.snapshot is not None:
        seen = await run.observer.observe_snapshot(run.tabs.page, batch.snapshot)
        run.record_observation(seen)
    elif batch.acted or batch.stuck is Stuck.SHOW:
        seen, recovery_notes = await observe(run, batch.receipts, whole=batch.stuck is Stuck.SHOW)
        notes += recovery_notes
    if seen is not None and seen.shown and seen.view is not None:
        view = seen.view
        results = [msgspec.structs.replace(each, text=prompts.without_page(each.text, view)) for each in results]
    if seen is not None and seen.same and batch.snapshot is None:
        notes.append(prompts.UNCHANGED)
    if batch.stuck in (Stuck.TELL, Stuck.SHOW):
        notes.append(prompts.STUCK_WARNING if batch.stuck is Stuck.TELL else prompts.STUCK_SHOWN)
        run.emit(AgentStatus(**run.stamp, message="Nothing new was seen or told for several turns."))
    turns_left = run.limits.max_steps - run.usage.steps
    if turns_left in _FEW_TURNS:
        notes.append(prompts.TURNS_LEFT.format(turns=turns_left))
    if notes:
        last = results.pop()
        results.append(msgspec.structs.replace(last, text="\n".join([last.text, *notes])))
    run.history.add_results(results, seen.view if seen is not None else None)
    if seen is not None:
        await run.vision.add_picture(run.tabs.page, run.observer.refs)
