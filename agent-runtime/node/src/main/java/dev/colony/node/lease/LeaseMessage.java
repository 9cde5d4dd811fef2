package dev.colony.node.lease;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.colony.inference.PromptCaches;
import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.PrefillSpeed;
import dev.colony.vcm.schedule.lease.Lease;
import dev.colony.vcm.schedule.lease.Report;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.pekko.actor.NoSerializationVerificationNeeded;
import org.apache.pekko.actor.typed.ActorRef;

/** What the authority of leases is told. */
sealed interface LeaseMessage {

  /** What comes from other nodes. */
  sealed interface Remote extends LeaseMessage {}

  /** What the authority tells itself. */
  sealed interface Local extends LeaseMessage, NoSerializationVerificationNeeded {}

  /** Time has passed. */
  record Tick() implements Local {}

  /**
   * It is known whether an authority before this one can have granted a lease that is still valid.
   */
  record Recorded(boolean first) implements Local {}

  /** The record of this authority is to be renewed. */
  record Stands() implements Local {}

  /** A node is no member any more. */
  record Gone(String holder) implements Local {}

  /**
   * How the agents of a node stand to leases, and which caches its gateway may use.
   *
   * @param caches empty where they were told within the last batches
   */
  @JsonTypeName("lease-reports")
  record Reports(
      String holder,
      List<Line> lines,
      List<NodeLeases.FirstTokens> firstTokens,
      List<CacheLine> caches,
      ActorRef<LeaseOrders> replyTo)
      implements Remote {
    public Reports {
      lines = lines == null ? List.of() : List.copyOf(lines);
      firstTokens = firstTokens == null ? List.of() : List.copyOf(firstTokens);
      caches = caches == null ? List.of() : List.copyOf(caches);
    }
  }

  /**
   * A replica.
   *
   * @param blocks that its cache holds
   * @param node its own, if it has one
   * @param tokensPerSecond and {@code attentionTokens}: how fast it is, as the sender has learned
   * @param attentionTokens see {@code tokensPerSecond}
   */
  record CacheLine(
      String replica, int blocks, String node, double tokensPerSecond, double attentionTokens) {

    static CacheLine of(PromptCaches.Cache cache) {
      return new CacheLine(
          cache.replica(),
          cache.blocks(),
          cache.node(),
          cache.speed().tokensPerSecond(),
          cache.speed().attentionTokens());
    }

    PrefillSpeed speed() {
      return new PrefillSpeed(tokensPerSecond, attentionTokens);
    }

    /**
     * The larger cache of both, and the slower speed: what is computed again is rather taken to
     * cost too much than too little.
     */
    CacheLine and(CacheLine other) {
      CacheLine larger = blocks >= other.blocks ? this : other;
      PrefillSpeed slower =
          speed().seconds(TYPICAL, 0) >= other.speed().seconds(TYPICAL, 0)
              ? speed()
              : other.speed();
      return new CacheLine(
          replica, larger.blocks, larger.node, slower.tokensPerSecond(), slower.attentionTokens());
    }

    /** Tokens of a prompt by which speeds are compared. */
    private static final int TYPICAL = 4_000;
  }

  /** How an agent stands. */
  enum Standing {
    ASKING,
    RUNNING,
    IDLE,
    RELEASED
  }

  /** A prompt's blocks, taken to be equally large. */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  record PromptLine(long[] blocks, long tokens, long outputTokens, Set<String> excluded) {

    static PromptLine of(Ask ask) {
      return new PromptLine(ask.blocks(), ask.promptTokens(), ask.outputTokens(), ask.excluded());
    }

    Ask ask() {
      return ExpectedPrompts.even(blocks == null ? new long[0] : blocks, tokens)
          .withOutput(outputTokens)
          .excluding(excluded == null ? Set.of() : excluded);
    }
  }

  /**
   * A {@link Report} as it is sent; what its status does not have is left out.
   *
   * @param since for which time it has waited, or in which it returns, in seconds
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Line(
      Standing standing,
      String agent,
      long number,
      double sentAt,
      Long ask,
      Double seconds,
      Boolean flag,
      String replica,
      Long epoch,
      Long turn,
      Integer turns,
      PromptLine prompt) {

    static Line of(Report report) {
      String agent = report.agent();
      long number = report.number();
      double at = report.sentAt();
      return switch (report.status()) {
        case Report.Asking asking ->
            new Line(
                Standing.ASKING,
                agent,
                number,
                at,
                asking.ask(),
                asking.waitedSeconds(),
                asking.parked(),
                null,
                null,
                null,
                null,
                PromptLine.of(asking.prompt()));
        case Report.Running running ->
            new Line(
                Standing.RUNNING,
                agent,
                number,
                at,
                null,
                null,
                null,
                running.lease().replica(),
                running.lease().epoch(),
                running.turn(),
                null,
                running.prompt().map(PromptLine::of).orElse(null));
        case Report.Idle idle ->
            new Line(
                Standing.IDLE,
                agent,
                number,
                at,
                null,
                idle.returnsIn().isPresent() ? idle.returnsIn().getAsDouble() : null,
                null,
                idle.lease().replica(),
                idle.lease().epoch(),
                idle.turn(),
                idle.remainingTurns().isPresent() ? idle.remainingTurns().getAsInt() : null,
                idle.prompt().map(PromptLine::of).orElse(null));
        case Report.Released released ->
            new Line(
                Standing.RELEASED,
                agent,
                number,
                at,
                null,
                null,
                released.ended(),
                null,
                null,
                null,
                null,
                null);
      };
    }

    Report report(String holder) {
      return new Report(holder, agent, number, sentAt, status());
    }

    private Report.Status status() {
      Optional<Ask> told = Optional.ofNullable(prompt).map(PromptLine::ask);
      return switch (standing) {
        case ASKING -> new Report.Asking(ask, told.orElseThrow(), seconds, flag);
        case RUNNING -> new Report.Running(lease(), turn, told);
        case IDLE ->
            new Report.Idle(
                lease(),
                turn,
                told,
                seconds == null ? OptionalDouble.empty() : OptionalDouble.of(seconds),
                turns == null ? OptionalInt.empty() : OptionalInt.of(turns));
        case RELEASED -> new Report.Released(flag);
      };
    }

    private Lease lease() {
      return new Lease(agent, replica, epoch);
    }
  }
}
