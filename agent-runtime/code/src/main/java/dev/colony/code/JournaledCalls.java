package dev.colony.code;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.Ref;
import dev.colony.agent.author.ActionDispatcher;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.Agent;
import dev.colony.blackboard.Entry;
import dev.colony.library.policy.JsonPreview;
import java.util.Locale;
import java.util.Optional;

/**
 * The calls of one cell as actions of the run. An action's id is made of the numbers of the cell
 * and of the call in it, so that the cell that is executed again, after a crash or when what it
 * waited for has happened, gets the results that there are, and nothing is done twice. Used by one
 * thread.
 */
final class JournaledCalls implements Cell.Calls {

  /** In which outputs stand that are too large for the journal, see {@link ActionResult}. */
  private static final String RESULTS = "results";

  private static final int SHOWN_CHARS = 200;

  private final Agent agent;
  private final ActionDispatcher dispatcher;
  private final ActionPolicyExecutionState state;
  private final int cell;
  private Optional<ActionResult> blocked = Optional.empty();
  private Optional<String> differing = Optional.empty();

  JournaledCalls(
      Agent agent, ActionDispatcher dispatcher, ActionPolicyExecutionState state, int cell) {
    this.agent = agent;
    this.dispatcher = dispatcher;
    this.state = state;
    this.cell = cell;
  }

  /** What a call waits for that has ended the cell for now. */
  Optional<ActionResult> blocked() {
    return blocked;
  }

  /** What a call was that differs from what it was when the cell was executed before. */
  Optional<String> differing() {
    return differing;
  }

  @Override
  public Cell.Reply call(int number, String key, JsonNode params) throws Exception {
    Action action = Action.of("c" + cell + "." + number, key, Ref.verbatim(params));
    Optional<ActionCall> before = state.history().latest(action.actionId());
    if (before.isPresent() && differs(before.get().action(), action, params)) {
      differing =
          Optional.of(
              "call %d is %s %s, but was %s %s when the cell was executed before"
                  .formatted(
                      number,
                      key,
                      JsonPreview.of(params, SHOWN_CHARS),
                      before.get().action().key(),
                      JsonPreview.of(before.get().action().params(), SHOWN_CHARS)));
      return new Cell.Reply.Stop();
    }
    ActionResult result = before.isEmpty() ? dispatcher.perform(action) : again(before.get());
    if (result.blocked()) {
      blocked = Optional.of(result);
      return new Cell.Reply.Stop();
    }
    return reply(result);
  }

  private static boolean differs(Action before, Action now, JsonNode params) {
    boolean same = before.has(now.params()) || before.has(params);
    return !before.key().equals(now.key()) || !same;
  }

  /** What is blocked is tried again, unless a person has still to answer. */
  private ActionResult again(ActionCall before) {
    boolean unanswered =
        before.asked().filter(asked -> state.approval(asked.request()).isEmpty()).isPresent();
    return before.result().blocked() && !unanswered
        ? dispatcher.perform(before.action().next())
        : before.result();
  }

  private Cell.Reply reply(ActionResult result) throws Exception {
    if (!result.success()) {
      String status = result.status().name().toLowerCase(Locale.ROOT).replace('_', '-');
      return new Cell.Reply.Thrown(status, result.error());
    }
    if (result.stored().isEmpty()) {
      return new Cell.Reply.Value(result.output());
    }
    return agent
        .blackboard(agent.id().scope().namespace(RESULTS))
        .read(result.stored().get())
        .toCompletableFuture()
        .get()
        .map(Entry::value)
        .<Cell.Reply>map(Cell.Reply.Value::new)
        .orElseGet(() ->
            new Cell.Reply.Thrown("gone", "it has succeeded, but its output is not kept any more"));
  }
}
