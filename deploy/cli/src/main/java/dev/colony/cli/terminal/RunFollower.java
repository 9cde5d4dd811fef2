package dev.colony.cli.terminal;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ReplyPart;
import dev.colony.agent.RunProgress;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.client.RunHandle.OnEach;
import java.io.PrintStream;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Waits for a run's end and says meanwhile, on standard error, what it makes known, what models
 * write to it where a person sees that, and what it waits for: a person's answer, or an agent that
 * has not taken it.
 *
 * @param again options that commands which it names have to have
 */
public record RunFollower(Pauses pauses, PrintStream err, String again) {

  /**
   * How often it looks.
   *
   * @param look whether the run waits for a person; each look reads the agent's journal from its
   *     last snapshot on
   * @param waitingNotice how long nothing may be heard of a run until a line says how its agent
   *     stands, once
   */
  public record Pauses(Duration look, Duration waitingNotice) {

    public static final Pauses USUAL = new Pauses(Duration.ofSeconds(1), Duration.ofSeconds(10));
  }

  /**
   * The run's end; blocks.
   *
   * @throws CompletionException with what {@link RunHandle#result} fails with as cause
   */
  public AgentRun follow(AgentHandle agent, RunHandle run) {
    ReplyPrinter replies = new ReplyPrinter(err);
    AtomicBoolean heard = new AtomicBoolean();
    CompletableFuture<Void> words =
        Progress.onTerminal()
            ? OnEach.of(
                run.parts(),
                part -> {
                  heard.set(true);
                  replies.take(part);
                })
            : CompletableFuture.completedFuture(null);
    CompletableFuture<Void> events =
        OnEach.of(
            run.retained(),
            event -> {
              heard.set(true);
              if (event.end().isEmpty() && !Look.says(event)) {
                say(replies, AgentsText.progress(event));
              }
            });
    Look look = new Look(agent, replies, heard);
    look.begin();
    try {
      AgentRun ended = run.result().join();
      // What was made known before the end has been printed once the end has come there, too.
      events.join();
      return ended;
    } finally {
      look.end();
      words.cancel(false);
      events.cancel(false);
      replies.endLine();
    }
  }

  private void say(ReplyPrinter replies, String line) {
    replies.endLine();
    err.println(Printable.of(line));
  }

  private final class Look {

    private final AgentHandle agent;
    private final ReplyPrinter replies;
    private final AtomicBoolean heard;
    private final Set<String> told = new HashSet<>();
    private final ScheduledExecutorService clock =
        Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().daemon().name("look-at-agent").unstarted(task));

    Look(AgentHandle agent, ReplyPrinter replies, AtomicBoolean heard) {
      this.agent = agent;
      this.replies = replies;
      this.heard = heard;
    }

    /** Whether an event is about what the look at the agent says in its own words. */
    static boolean says(RunProgress event) {
      return switch (event.name()) {
        case RunProgress.APPROVAL_ASKED -> true;
        case RunProgress.WAITING ->
            event.data().path("cause").asText().equals(SuspensionCause.APPROVAL.name());
        default -> false;
      };
    }

    void begin() {
      every(pauses.look(), this::approvals);
      clock.schedule(
          () -> quietly(this::standing), pauses.waitingNotice().toNanos(), TimeUnit.NANOSECONDS);
    }

    private void every(Duration pause, Runnable look) {
      clock.scheduleWithFixedDelay(
          () -> quietly(look), pause.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** What cannot be read now may be the next time. */
    private void quietly(Runnable look) {
      try {
        look.run();
      } catch (CompletionException unreadable) {
        // said by what the run's result fails with
      }
    }

    private void approvals() {
      List<PendingApproval> pending = agent.pending().join();
      // What is asked for under the same name later is another question.
      told.retainAll(pending.stream().map(PendingApproval::request).toList());
      for (PendingApproval one : pending) {
        if (told.add(one.request())) {
          heard.set(true);
          say(replies, "colony: " + AgentsText.approval(one, again));
        }
      }
    }

    private void standing() {
      if (!heard.get()) {
        say(replies, "colony: " + waits(agent.id(), agent.state().join()));
      }
    }

    private String waits(AgentId id, Optional<AgentStatus> status) {
      return "nothing is heard of the run yet: %s is %s"
          .formatted(
              id,
              status
                  .map(one -> one.state() + one.reason().map(why -> ", " + why).orElse(""))
                  .orElse("gone"));
    }

    void end() {
      clock.shutdownNow();
    }
  }

  /**
   * Prints texts that models write as they come, one call's at a time: another's only once that has
   * ended. Of reasoning and of JSON for programs it says how much there was. Thread-safe.
   */
  public static final class ReplyPrinter {

    private static final int CHARS_PER_TOKEN = 4;

    private final PrintStream out;
    private Optional<ReplyPart> current = Optional.empty();
    private long printed;
    private long reasoning;
    private boolean inLine;

    public ReplyPrinter(PrintStream out) {
      this.out = out;
    }

    public synchronized void take(ReplyPart part) {
      if (current.isEmpty()) {
        if (part.kind() == ReplyPart.Kind.ENDED) {
          return;
        }
        begin(part);
      }
      ReplyPart shown = current.orElseThrow();
      if (!shown.call().equals(part.call())) {
        return;
      }
      if (!shown.asked().equals(part.asked())) {
        endLine();
        begin(part);
      }
      switch (part.kind()) {
        case ASKED -> {}
        case REASONING -> reasoning = part.index() + part.text().length();
        case TEXT -> text(part);
        case ENDED -> end(part);
      }
    }

    /** Ends the line that stands open, so that another may be printed. */
    public synchronized void endLine() {
      if (inLine) {
        out.println();
        inLine = false;
      }
    }

    private void begin(ReplyPart part) {
      current = Optional.of(part);
      printed = 0;
      reasoning = 0;
    }

    private void text(ReplyPart part) {
      if (!part.json()) {
        if (!inLine) {
          out.print(who(part));
        }
        if (part.index() > printed) {
          out.print("[...]");
        }
        out.print(Printable.lines(part.text()));
        out.flush();
        inLine = true;
      }
      printed = part.index() + part.text().length();
    }

    private void end(ReplyPart part) {
      endLine();
      if (reasoning > 0) {
        out.println(who(part) + "%d tokens of reasoning".formatted(reasoning / CHARS_PER_TOKEN));
      }
      if (part.json()) {
        out.println(who(part) + "%d tokens of JSON".formatted(part.index() / CHARS_PER_TOKEN));
      }
      current = Optional.empty();
    }

    private static String who(ReplyPart part) {
      return Printable.of("%s, %s: ".formatted(part.agent().name(), part.model()));
    }
  }
}
