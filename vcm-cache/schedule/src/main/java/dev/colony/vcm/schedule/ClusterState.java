package dev.colony.vcm.schedule;

import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.ClusterSnapshot.Load;
import dev.colony.vcm.schedule.CostRouter.Decision;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What is known of the replicas, kept up to date by what happens to calls, by what replicas tell
 * and by what other gateways report. Events of a replica that is not known are passed over, as are
 * later ones of a call that has ended.
 *
 * <p>An event costs O(blocks of the prompt), a snapshot O(replicas * (gateways + replicas)). Time
 * goes from event to event and never back.
 */
public final class ClusterState {

  /**
   * What one gateway has sent to a replica and waits for.
   *
   * @param seconds of prefill still to be done
   * @param waiting calls without their first token
   * @param calls that have not ended
   */
  public record Backlog(String replica, double seconds, int waiting, int calls) {}

  private record Report(double at, Map<String, Backlog> backlogs) {}

  private record Measured(double at, int running, int waiting) {}

  private final ScheduleSettings settings;
  private final Map<String, ReplicaState> replicas = new LinkedHashMap<>();
  private final Map<String, Report> reports = new HashMap<>();
  private final Map<String, Measured> measured = new HashMap<>();

  private double queueLength;
  private double queueNow;
  private double queueAt = Double.NaN;

  public ClusterState(ScheduleSettings settings) {
    this.settings = settings;
  }

  /** A replica is there, as {@link #join(String, String)} where all have the same model. */
  public void join(String replica) {
    join(replica, "");
  }

  /**
   * A replica is there. Nothing happens where it was there already.
   *
   * @param model what it computes: until it has answered, it is taken to be as fast as the fastest
   *     that has answered of the same model
   */
  public void join(String replica, String model) {
    replicas.computeIfAbsent(replica, id -> new ReplicaState(settings, model));
  }

  /** A replica is gone, and with it what was known of it. */
  public void leave(String replica) {
    replicas.remove(replica);
    measured.remove(replica);
  }

  private void at(String replica, Consumer<ReplicaState> change) {
    ReplicaState known = replicas.get(replica);
    if (known != null) {
      change.accept(known);
    }
  }

  /** By its own word the replica has stored, or used again, all blocks of a prompt. */
  public void stored(String replica, long[] chain) {
    at(
        replica,
        state -> {
          // Those near its start last: they are forgotten last.
          for (int i = chain.length - 1; i >= 0; i--) {
            state.toldBlocks().told(chain[i], true);
          }
        });
  }

  /** The replica's cache has used these blocks, by no request that was dispatched. */
  public void touched(String replica, long[] chain) {
    at(replica, state -> state.estimatedBlocks().used(chain));
  }

  /** By its own word the replica has evicted a block. */
  public void removed(String replica, long block) {
    at(replica, state -> state.toldBlocks().told(block, false));
  }

  /** The replica's cache was emptied. */
  public void cleared(String replica) {
    at(
        replica,
        state -> {
          state.toldBlocks().forget();
          state.estimatedBlocks().cleared();
        });
  }

  /** Words of the replica were missed: from here on its cache is estimated until it says more. */
  public void missed(String replica) {
    at(replica, state -> state.toldBlocks().forget());
  }

  /**
   * The replica says how many blocks its cache holds: what is learned goes on from there. Nothing
   * happens where it has said so before.
   */
  public void cacheHolds(String replica, int blocks) {
    at(replica, state -> state.cacheHolds(Math.clamp(blocks, 1, settings.mostBlocks())));
  }

  /**
   * How fast a replica is, as a gateway has measured it, which hears first tokens at once: what is
   * learned here counts no longer. Nothing happens for one that is not known.
   */
  public void computes(String replica, PrefillSpeed speed) {
    at(replica, state -> state.computes(speed));
  }

  /** What the state is kept by. */
  public ScheduleSettings settings() {
    return settings;
  }

  /** How many blocks the replica's cache is taken to hold; 0 for one that is not known. */
  public int cacheBlocks(String replica) {
    ReplicaState state = replicas.get(replica);
    return state == null ? 0 : state.estimatedBlocks().size();
  }

  /**
   * How many blocks the replica's cache holds by its own word; what it is taken to hold where it
   * has not said, and 0 for one that is not known.
   */
  public int capacity(String replica) {
    ReplicaState state = replicas.get(replica);
    return state == null ? 0 : state.capacity();
  }

  /** What the replica says that its cache holds; 0 where it has not said, or is not known. */
  public int toldBlocks(String replica) {
    ReplicaState state = replicas.get(replica);
    return state == null ? 0 : state.toldSize();
  }

  /** How fast the replica is taken to be; what is configured for one that is not known. */
  public PrefillSpeed speed(String replica) {
    ReplicaState state = replicas.get(replica);
    return state == null ? settings.prior() : speed(state);
  }

  /** One that were taken for slower than others before its first answer would never be tried. */
  private PrefillSpeed speed(ReplicaState state) {
    return state.measured()
        ? state.speed()
        : replicas.values().stream()
            .filter(other -> other.measured() && other.model().equals(state.model()))
            .map(ReplicaState::speed)
            .max(Comparator.comparingDouble(PrefillSpeed::tokensPerSecond))
            .orElseGet(state::speed);
  }

  /**
   * A prompt goes to the replica that was decided on.
   *
   * @param tellsFirstToken whether {@link #firstToken} will be called; where it is not, the prompt
   *     counts as computed after the time that it should take
   */
  public Dispatch dispatched(Ask ask, Decision.Run run, double now, boolean tellsFirstToken) {
    join(run.replica());
    Dispatch dispatch =
        replicas.get(run.replica()).dispatched(run.replica(), ask, run, now, tellsFirstToken);
    average(now);
    return dispatch;
  }

  /**
   * It has left the gateway's own queue, where it has waited in one since it was decided on: its
   * time at the replica begins.
   */
  public void started(Dispatch dispatch, double now) {
    at(dispatch.replica, state -> state.started(dispatch, now));
  }

  /** The first token of its reply has come. */
  public void firstToken(Dispatch dispatch, double now) {
    at(
        dispatch.replica,
        state -> {
          state.firstToken(dispatch, now);
          average(now);
        });
  }

  /** The reply says how many blocks of its prompt were cached. */
  public void cached(Dispatch dispatch, int blocks) {
    at(dispatch.replica, state -> state.cached(dispatch, blocks));
  }

  /**
   * @param answered false where the replica may not have computed the prompt
   */
  public void ended(Dispatch dispatch, double now, boolean answered) {
    at(
        dispatch.replica,
        state -> {
          state.ended(dispatch, now, answered);
          average(now);
        });
  }

  /** What another gateway has sent and waits for, in place of what it reported before. */
  public void reported(String gateway, List<Backlog> backlogs, double now) {
    Map<String, Backlog> byReplica = new HashMap<>();
    backlogs.forEach(one -> byReplica.put(one.replica(), one));
    reports.put(gateway, new Report(now, byReplica));
    reports.values().removeIf(report -> expired(report.at(), now));
    average(now);
  }

  /** What a replica itself says of its queue. Calls that no gateway knows of count as average. */
  public void measured(String replica, int running, int waiting, double now) {
    if (replicas.containsKey(replica)) {
      measured.put(replica, new Measured(now, running, waiting));
      average(now);
    }
  }

  /** What this gateway has sent and waits for, where there is something: what it reports. */
  public List<Backlog> backlogs(double now) {
    List<Backlog> own = new ArrayList<>();
    replicas.forEach((id, state) -> {
      if (state.calls() > 0) {
        own.add(new Backlog(id, state.backlog(now), state.waiting(now), state.calls()));
      }
    });
    return own;
  }

  /** What is known, for a decision at once: it holds until the next event. */
  public ClusterSnapshot snapshot(double now, Function<String, Access> access) {
    average(now);
    List<ClusterSnapshot.Replica> views = new ArrayList<>(replicas.size());
    replicas.forEach((id, state) ->
        views.add(
            new ClusterSnapshot.Replica(
                id, load(id, state, now), speed(state), state.residency(), access.apply(id))));
    return new ClusterSnapshot(now, views, queueLength);
  }

  private boolean expired(double at, double now) {
    return now - at > settings.reportSeconds();
  }

  /** Of other gateways as they reported it, less the time since. */
  private Load load(String replica, ReplicaState state, double now) {
    int unknown = unknown(replica, state, now);
    double seconds = state.backlog(now) + unknown * state.meanPrefill();
    int waiting = state.waiting(now);
    int replying = state.calls() - waiting;
    for (Report report : reports.values()) {
      Backlog backlog = report.backlogs().get(replica);
      if (backlog != null && !expired(report.at(), now)) {
        seconds += Math.max(0, backlog.seconds() - (now - report.at()));
        waiting += backlog.waiting();
        replying += backlog.calls() - backlog.waiting();
      }
    }
    waiting += unknown;
    double stall = waiting + replying == 0 ? 0 : state.stallSeconds();
    return new Load(seconds, state.calls(), waiting, replying, stall);
  }

  /** Calls that wait at the replica by its own word and that no gateway has reported. */
  private int unknown(String replica, ReplicaState state, double now) {
    Measured last = measured.get(replica);
    if (last == null || expired(last.at(), now)) {
      return 0;
    }
    int known = state.calls();
    for (Report report : reports.values()) {
      Backlog backlog = report.backlogs().get(replica);
      known += backlog == null || expired(report.at(), now) ? 0 : backlog.calls();
    }
    return Math.clamp(last.running() + last.waiting() - known, 0, last.waiting());
  }

  /** Takes into the average for how long the queues had the length that they had until now. */
  private void average(double now) {
    if (!Double.isNaN(queueAt)) {
      double part = 1 - Math.exp(-Math.max(0, now - queueAt) / settings.queueSeconds());
      queueLength += part * (queueNow - queueLength);
    }
    int waiting = 0;
    for (Map.Entry<String, ReplicaState> one : replicas.entrySet()) {
      waiting += one.getValue().waiting(now) + unknown(one.getKey(), one.getValue(), now);
      for (Report report : reports.values()) {
        Backlog backlog = report.backlogs().get(one.getKey());
        waiting += backlog == null || expired(report.at(), now) ? 0 : backlog.waiting();
      }
    }
    queueNow = replicas.isEmpty() ? 0 : (double) waiting / replicas.size();
    queueAt = now;
  }

  /** A prompt that was sent to a replica, until its call has ended. */
  public static final class Dispatch {

    final String replica;
    final Ask ask;
    final double prefillSeconds;
    final boolean tellsFirstToken;
    final int expectedBlocks;
    final int[] ages;

    /** When it was sent to the replica, as far as is known. */
    double at;

    /** How long it was computed; negative until that is known. */
    double took = -1;

    /** Blocks that were cached by the reply's word; negative until that is known. */
    int cachedBlocks = -1;

    /** With which it was computed; null until that is known. */
    PrefillFit.Batch batch;

    boolean learned;
    boolean ended;

    Dispatch(
        String replica,
        Ask ask,
        double at,
        double prefillSeconds,
        boolean tellsFirstToken,
        int expectedBlocks,
        int[] ages) {
      this.replica = replica;
      this.ask = ask;
      this.at = at;
      this.prefillSeconds = prefillSeconds;
      this.tellsFirstToken = tellsFirstToken;
      this.expectedBlocks = expectedBlocks;
      this.ages = ages;
    }

    /** The replica that it went to. */
    public String replica() {
      return replica;
    }

    /** The part of its prompt that was expected in the replica's cache, 0 to 1. */
    public double cachedPart() {
      return expectedBlocks == 0 ? 0 : ask.ends()[expectedBlocks - 1] / ask.promptTokens();
    }

    /** What it was sent with. */
    public Ask ask() {
      return ask;
    }
  }
}
