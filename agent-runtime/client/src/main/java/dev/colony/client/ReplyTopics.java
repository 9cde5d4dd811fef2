package dev.colony.client;

import dev.colony.agent.AgentId;
import dev.colony.agent.ReplyPart;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Topics;
import dev.colony.client.wire.WireJson;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Where the parts of running answers are to be heard: those of a run on a topic of its agent's, and
 * those of all runs that one request set off on one of the colony's, by its trace.
 */
public record ReplyTopics(Topics topics) {

  private record Topic(Scope scope, String name) {

    static Topic of(AgentId agent, RunId run) {
      return new Topic(agent.scope(), "replies/" + run.value());
    }

    static Topic of(AgentId agent, String trace) {
      return new Topic(Scope.colony(agent.tenant(), agent.colony()), "replies/" + trace);
    }
  }

  private static Stream<Topic> of(AgentId agent, RunId run, String trace) {
    return trace.equals(run.value())
        ? Stream.of(Topic.of(agent, run))
        : Stream.of(Topic.of(agent, run), Topic.of(agent, trace));
  }

  /** Whether there is a subscriber; costs no call. */
  public boolean heard(AgentId agent, RunId run, String trace) {
    return of(agent, run, trace).anyMatch(topic -> topics.heard(topic.scope, topic.name));
  }

  /** Sends it to where it is heard. */
  public void publish(ReplyPart part, String trace) {
    of(part.agent(), part.runId(), trace)
        .filter(topic -> topics.heard(topic.scope, topic.name))
        .forEach(topic -> topics.publish(topic.scope, topic.name, WireJson.write(part)));
  }

  /** Hears the parts of a run, and of those with its id as their trace. */
  Topics.Listening listen(AgentId agent, RunId run, Consumer<ReplyPart> listener) {
    List<Topics.Listening> both =
        Stream.of(Topic.of(agent, run), Topic.of(agent, run.value()))
            .map(topic ->
                topics.listen(
                    topic.scope,
                    topic.name,
                    json -> listener.accept(WireJson.read(json, ReplyPart.class))))
            .toList();
    return () -> both.forEach(Topics.Listening::close);
  }

  /**
   * The parts of running answers on their way to one subscriber, which is called on virtual
   * threads, by one at a time. What it has not asked for yet is held, joined where nothing is
   * between, up to a bound beyond which the oldest are dropped. Thread-safe.
   */
  static final class PartStream implements Flow.Subscription {

    /** What a part takes beside its text, about. */
    private static final int OVERHEAD = 200;

    private final Flow.Subscriber<? super ReplyPart> target;
    private final int most;
    private final Runnable leave;
    private final Deque<ReplyPart> held = new ArrayDeque<>();
    private long size;
    private long demand;
    private boolean delivering;
    private boolean over;
    private boolean ended;
    private Optional<Throwable> failure = Optional.empty();

    /**
     * @param most characters that are held
     * @param leave is run once, where the subscriber leaves or the stream ends
     */
    PartStream(Flow.Subscriber<? super ReplyPart> target, int most, Runnable leave) {
      this.target = target;
      this.most = most;
      this.leave = leave;
    }

    void add(ReplyPart part) {
      synchronized (this) {
        if (ended || over) {
          return;
        }
        ReplyPart last = held.peekLast();
        if (last != null && last.precedes(part)) {
          held.pollLast();
          held.add(last.plus(part.text()));
          size += part.text().length();
        } else {
          held.add(part);
          size += OVERHEAD + part.text().length();
        }
        while (size > most && held.size() > 1) {
          size -= OVERHEAD + held.removeFirst().text().length();
        }
      }
      deliver();
    }

    void end(Optional<Throwable> why) {
      synchronized (this) {
        if (ended || over) {
          return;
        }
        ended = true;
        failure = why;
      }
      deliver();
    }

    @Override
    public void request(long n) {
      if (n <= 0) {
        end(Optional.of(new IllegalArgumentException("demand must be more than 0, but is " + n)));
        return;
      }
      synchronized (this) {
        demand = demand + n < 0 ? Long.MAX_VALUE : demand + n;
      }
      deliver();
    }

    @Override
    public void cancel() {
      synchronized (this) {
        if (over) {
          return;
        }
        over = true;
        held.clear();
      }
      leave.run();
    }

    private void deliver() {
      synchronized (this) {
        if (delivering || !ready()) {
          return;
        }
        delivering = true;
      }
      Thread.ofVirtual().name("reply-parts").start(this::handOver);
    }

    private synchronized boolean ready() {
      return !over && (held.isEmpty() ? ended : demand > 0);
    }

    private void handOver() {
      for (Runnable next = next(); next != null; next = next()) {
        next.run();
      }
    }

    /** What to do next; null where there is nothing. */
    private synchronized Runnable next() {
      if (!ready()) {
        delivering = false;
        return null;
      }
      if (held.isEmpty()) {
        over = true;
        Optional<Throwable> why = failure;
        return () -> {
          leave.run();
          why.ifPresentOrElse(target::onError, target::onComplete);
        };
      }
      demand = demand == Long.MAX_VALUE ? demand : demand - 1;
      ReplyPart part = held.removeFirst();
      size -= OVERHEAD + part.text().length();
      return () -> target.onNext(part);
    }
  }
}
