package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Objects;

/**
 * One action that a policy has chosen.
 *
 * @param actionId names this action within its run; its outcome is found under it
 * @param key which capability's action to execute
 * @param effect whether it reaches beyond what the runtime can repeat safely
 * @param retryable whether it may be executed again under the same idempotency key when a crash hid
 *     its outcome; matters for {@link Effect#EXTERNAL} only
 */
public record Action(
    String actionId, String key, JsonNode params, Effect effect, boolean retryable) {

  /** Where an action's effect ends. */
  public enum Effect {
    /** Safe to repeat under its idempotency key: reads, and writes to the blackboard. */
    INTERNAL,
    /** Reaches the world outside: its intent is journaled before it starts. */
    EXTERNAL
  }

  public Action {
    Objects.requireNonNull(actionId, "actionId");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(params, "params");
    Objects.requireNonNull(effect, "effect");
  }

  /** An action that is safe to repeat. */
  public static Action internal(String actionId, String key, JsonNode params) {
    return new Action(actionId, key, params, Effect.INTERNAL, true);
  }

  /** An action whose intent is journaled first. */
  public static Action external(String actionId, String key, JsonNode params, boolean retryable) {
    return new Action(actionId, key, params, Effect.EXTERNAL, retryable);
  }
}
