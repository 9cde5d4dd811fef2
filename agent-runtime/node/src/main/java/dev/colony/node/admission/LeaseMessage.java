package dev.colony.node.admission;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.colony.inference.PromptCaches;
import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.Orders;
import dev.colony.vcm.schedule.PrefillSpeed;
import dev.colony.vcm.schedule.lease.Lease;
import dev.colony.vcm.schedule.lease.LeaseOrder;
import dev.colony.vcm.schedule.lease.Report;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.pekko.actor.NoSerializationVerificationNeeded;
import org.apache.pekko.actor.typed.ActorRef;

sealed interface LeaseMessage {

  /** Agents in one message between nodes at most. */
  int BATCH = 256;

  /** Blocks of prompts in one message, about; a frame between nodes holds 256 KiB. */
  int BATCH_BLOCKS = 8192;

  /** What comes from other nodes. */
  sealed interface Remote extends LeaseMessage {}

  /** What the authority tells itself. */
  sealed interface Local extends LeaseMessage, NoSerializationVerificationNeeded {}

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
      return NodeLeases.ExpectedPrompts.even(blocks == null ? new long[0] : blocks, tokens)
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

  /**
   * What the authority of leases says to a node.
   *
   * @param lines about its agents
   * @param evictions what caches may give up first, for every gateway
   * @param touches what is to stay in caches that take no hints
   */
  @JsonTypeName("lease-orders")
  record LeaseOrders(List<Line> lines, List<Blocks> evictions, List<Blocks> touches) {

    public LeaseOrders {
      lines = lines == null ? List.of() : List.copyOf(lines);
      evictions = evictions == null ? List.of() : List.copyOf(evictions);
      touches = touches == null ? List.of() : List.copyOf(touches);
    }

    /** Blocks at a replica. */
    record Blocks(String replica, long[] blocks) {}

    /** What is said of an agent. */
    enum Kind {
      GRANTED,
      HELD,
      RENEWED,
      RECALLED,
      ENDED,
      TELL
    }

    /** A {@link LeaseOrder.ToHolder} as it is sent; what its kind does not have is left out. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Line(
        Kind kind,
        String agent,
        String replica,
        Long epoch,
        Long ask,
        Long turn,
        Double sentAt,
        LeaseOrder.Reason reason) {

      static Line of(LeaseOrder.ToHolder order) {
        return switch (order) {
          case LeaseOrder.Granted one ->
              of(Kind.GRANTED, one.lease(), one.ask(), null, one.sentAt());
          case LeaseOrder.Held one ->
              new Line(Kind.HELD, one.agent(), null, null, one.ask(), null, null, one.reason());
          case LeaseOrder.Renewed one ->
              of(Kind.RENEWED, one.lease(), null, one.turn(), one.sentAt());
          case LeaseOrder.Recalled one -> of(Kind.RECALLED, one.lease(), one.ask(), null, null);
          case LeaseOrder.Ended one -> of(Kind.ENDED, one.lease(), null, null, null);
          case LeaseOrder.Tell one ->
              new Line(Kind.TELL, one.agent(), null, null, null, null, null, null);
        };
      }

      private static Line of(Kind kind, Lease lease, Long ask, Long turn, Double sentAt) {
        return new Line(
            kind, lease.agent(), lease.replica(), lease.epoch(), ask, turn, sentAt, null);
      }

      LeaseOrder.ToHolder order(String holder) {
        return switch (kind) {
          case GRANTED -> new LeaseOrder.Granted(holder, lease(), ask, sentAt);
          case HELD -> new LeaseOrder.Held(holder, agent, ask, reason);
          case RENEWED -> new LeaseOrder.Renewed(holder, lease(), turn, sentAt);
          case RECALLED -> new LeaseOrder.Recalled(holder, lease(), ask);
          case ENDED -> new LeaseOrder.Ended(holder, lease());
          case TELL -> new LeaseOrder.Tell(holder, agent);
        };
      }

      private Lease lease() {
        return new Lease(agent, replica, epoch);
      }
    }

    static Blocks of(Orders.Eviction eviction) {
      return new Blocks(eviction.replica(), eviction.blocks());
    }

    static Blocks of(Orders.Touch touch) {
      return new Blocks(touch.replica(), touch.blocks());
    }
  }
}
