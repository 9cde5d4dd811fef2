package dev.colony.core.dispatch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.blackboard.value.Text;
import dev.colony.core.dispatch.Attempts.Failure;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Holds back an action until a person has approved it. What is approved is this action with these
 * very parameters, in this run, once: the request is named after them and after how often they were
 * executed, so that no word that was given for something else opens the gate.
 */
final class ApprovalGate {

  /** Counts, among the run's own entries, the executions that were approved. */
  private static final String USED = "approved.";

  private static final int HASH_BYTES = 8;
  private static final int KEY_CHARS = 80;
  private static final ObjectMapper ORDERED =
      JsonMapper.builder().enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED).build();

  private ApprovalGate() {}

  /** What an execution of the step before a crash has used up. */
  static void used(ActionPolicyExecutionState state, List<String> names) {
    for (String name : names) {
      state.custom().put(USED + name, state.custom().path(USED + name).asInt() + 1);
    }
  }

  /**
   * What stands in the way of an action; empty if it may begin. Then its approval is used up with
   * the step.
   *
   * @param name of the action, as {@link #name} gives it
   * @param action its references resolved
   */
  static Optional<ActionResult> bars(ActionPolicyExecutionState state, String name, Action action) {
    int used = state.custom().path(USED + name).asInt();
    String request = used == 0 ? name : name + "-" + (used + 1);
    Optional<Approval> word = state.approval(request);
    if (word.isEmpty()) {
      return Optional.of(waits(action, request));
    }
    if (!word.get().granted()) {
      return Optional.of(denied(action, word.get()));
    }
    state.custom().put(USED + name, used + 1);
    return Optional.empty();
  }

  private static ActionResult waits(Action action, String request) {
    String reason = "a person has to approve %s: %s %s";
    return ActionResult.blocked(
        action.actionId(),
        Failure.line(reason.formatted(request, action.key(), action.params())),
        new ResumptionCondition.Approved(request));
  }

  private static ActionResult denied(Action action, Approval word) {
    String note = word.note().isEmpty() ? "" : ": " + word.note();
    return ActionResult.unsuccessful(
        action.actionId(),
        ActionResult.Status.REFUSED,
        Failure.line("denied by " + word.by() + note));
  }

  /** Names an action with its parameters, in a run. */
  static String name(RunId run, Action action) {
    String key = action.key().replace(':', '.');
    return Text.head(key, KEY_CHARS) + "-" + hash(run, action);
  }

  private static String hash(RunId run, Action action) {
    try {
      String all = run + "\n" + action.key() + "\n" + ORDERED.writeValueAsString(action.params());
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(all.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException | JsonProcessingException never) {
      throw new IllegalStateException(never);
    }
  }
}
