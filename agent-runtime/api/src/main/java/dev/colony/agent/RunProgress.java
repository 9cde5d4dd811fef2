package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.client.RunHandle;
import java.time.Instant;
import java.util.Optional;

/**
 * Something that a running agent made known, or that its run has ended.
 *
 * @param name what happened, as the capability that emitted it calls it; of the end, how it ended:
 *     completed, failed or cancelled
 * @param data of the end, the run as JSON
 * @param at by the blackboard's clock
 * @param token names this place in the run's events, for {@link RunHandle#events(String)}; opaque,
 *     at most 100 characters, good for as long as the run's entries are kept
 * @param end what became of the run; only the last event has it
 */
public record RunProgress(
    RunId runId, String name, JsonNode data, Instant at, String token, Optional<AgentRun> end) {

  /**
   * The run asks a person for something; {@code data} has the fields {@code request}, {@code
   * reason}, {@code agentId} and {@code since}.
   */
  public static final String APPROVAL_ASKED = "approval-asked";

  /**
   * A person has answered; {@code data} has the fields {@code request}, {@code granted}, {@code by}
   * and {@code since}, and perhaps {@code note}.
   */
  public static final String APPROVAL_ANSWERED = "approval-answered";

  /**
   * The run goes on only when something has happened; {@code data} has the fields {@code reason},
   * {@code since} and perhaps {@code until}, the condition.
   */
  public static final String BLOCKED = "blocked";

  /**
   * The run does not go on for now, as when its agent is suspended; {@code data} has the fields
   * {@code cause}, {@code reason}, {@code since} and perhaps {@code until}, the condition.
   */
  public static final String WAITING = "waiting";
}
