package dev.colony.agent;

import java.time.Instant;

/**
 * A part of what a model is answering to one of a run's calls, as it comes.
 *
 * @param agent that makes the call
 * @param runId of that agent's run
 * @param call names the call, and names it again where it is made again after a crash
 * @param asked when the server was asked, by the clock of the agent's node; all parts of one
 *     attempt have the same. Of a call, the parts of earlier attempts are void
 * @param model that is asked
 * @param json whether the model writes JSON for a program to read, rather than text for people
 * @param index how many characters of this kind the attempt has given before; a reader that has had
 *     fewer has missed some
 * @param text empty unless the kind is {@link Kind#REASONING} or {@link Kind#TEXT}
 */
public record ReplyPart(
    AgentId agent,
    RunId runId,
    String call,
    Instant asked,
    String model,
    boolean json,
    Kind kind,
    long index,
    String text) {

  /** What a part is of. */
  public enum Kind {
    /** A server is being asked, for the first time or again. */
    ASKED,

    /** What the server shows of how the model comes to its reply; no part of the reply. */
    REASONING,

    /** The reply. */
    TEXT,

    /** The call has ended, with the reply or without; {@code index} counts the reply's text. */
    ENDED
  }

  /** This and the next one as one, where nothing is between them. */
  public boolean precedes(ReplyPart next) {
    return !text.isEmpty()
        && call.equals(next.call)
        && asked.equals(next.asked)
        && kind == next.kind
        && index + text.length() == next.index;
  }

  public ReplyPart from(long place) {
    return new ReplyPart(agent, runId, call, asked, model, json, kind, place, text);
  }

  /** With more text. */
  public ReplyPart plus(String more) {
    return new ReplyPart(agent, runId, call, asked, model, json, kind, index, text + more);
  }
}
