package dev.colony.node.activation;

import dev.colony.agent.AgentId;
import dev.colony.agent.ReplyPart;
import dev.colony.agent.RunId;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.blackboard.value.Text;
import dev.colony.client.ReplyTopics;
import dev.colony.inference.InferenceDelta;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Sends the parts of one call's reply to those who follow its run, together for a while; where none
 * does, it counts characters and nothing else. Thread-safe; does not block.
 */
final class ReplyFeed implements Consumer<InferenceDelta> {

  /**
   * How often and how much is sent.
   *
   * @param interval between two messages, at least
   * @param mostChars of one message; of what a server gives within the interval, the last
   */
  record Pace(Duration interval, int mostChars) {
    static final Pace USUAL = new Pace(Duration.ofMillis(100), 16_384);
  }

  private final ReplyTopics topics;
  private final Pace pace;
  private final InstantSource clock;
  private final String trace;
  private final boolean json;

  /** Without text: what all parts have in common. */
  private ReplyPart part;

  private String pending = "";
  private long texts;
  private long reasonings;
  private Optional<Stopwatch> sent = Optional.empty();
  private boolean waiting;
  private boolean ended;

  /**
   * @param clock says when servers are asked
   * @param trace of the run
   * @param json whether the reply is to be JSON
   */
  ReplyFeed(
      ReplyTopics topics,
      Pace pace,
      InstantSource clock,
      AgentId agent,
      RunId run,
      String trace,
      String callId,
      boolean json) {
    this.topics = topics;
    this.pace = pace;
    this.clock = clock;
    this.trace = trace;
    this.json = json;
    this.part =
        new ReplyPart(agent, run, callId, Instant.EPOCH, "", json, ReplyPart.Kind.ASKED, 0, "");
  }

  @Override
  public synchronized void accept(InferenceDelta delta) {
    switch (delta) {
      case InferenceDelta.Asked asked -> asked(asked.model(), json || !asked.verbatim());
      case InferenceDelta.Text more -> add(ReplyPart.Kind.TEXT, more.text());
      case InferenceDelta.Reasoning more -> add(ReplyPart.Kind.REASONING, more.text());
      case InferenceDelta.ToolArguments more -> {}
      case InferenceDelta.Done done -> {}
    }
  }

  /** The call has ended, however. */
  synchronized void end() {
    send();
    ended = true;
    publish(ReplyPart.Kind.ENDED, texts, "");
  }

  private void asked(String model, boolean forProgram) {
    pending = "";
    texts = 0;
    reasonings = 0;
    part =
        new ReplyPart(
            part.agent(),
            part.runId(),
            part.call(),
            clock.instant(),
            model,
            forProgram,
            ReplyPart.Kind.ASKED,
            0,
            "");
    publish(ReplyPart.Kind.ASKED, 0, "");
  }

  private void add(ReplyPart.Kind kind, String more) {
    if (part.kind() != kind) {
      send();
      part = of(kind, 0, "");
    }
    if (kind == ReplyPart.Kind.TEXT) {
      texts += more.length();
    } else {
      reasonings += more.length();
    }
    if (!heard()) {
      pending = "";
      return;
    }
    pending = Text.tail(pending + more, pace.mostChars());
    Duration since = sent.map(Stopwatch::elapsed).orElse(pace.interval());
    if (since.compareTo(pace.interval()) >= 0) {
      send();
    } else if (!waiting) {
      waiting = true;
      long rest = pace.interval().minus(since).toMillis();
      CompletableFuture.delayedExecutor(Math.max(1, rest), TimeUnit.MILLISECONDS)
          .execute(this::late);
    }
  }

  private synchronized void late() {
    waiting = false;
    if (!ended) {
      send();
    }
  }

  /** What is pending is the end of what was counted. */
  private void send() {
    if (pending.isEmpty()) {
      return;
    }
    long counted = part.kind() == ReplyPart.Kind.TEXT ? texts : reasonings;
    publish(part.kind(), counted - pending.length(), pending);
    pending = "";
    sent = Optional.of(Stopwatch.start());
  }

  private boolean heard() {
    return topics.heard(part.agent(), part.runId(), trace);
  }

  private void publish(ReplyPart.Kind kind, long index, String text) {
    if (heard()) {
      topics.publish(of(kind, index, text), trace);
    }
  }

  private ReplyPart of(ReplyPart.Kind kind, long index, String text) {
    return new ReplyPart(
        part.agent(),
        part.runId(),
        part.call(),
        part.asked(),
        part.model(),
        part.json(),
        kind,
        index,
        text);
  }
}
