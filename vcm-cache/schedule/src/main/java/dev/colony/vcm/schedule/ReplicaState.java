package dev.colony.vcm.schedule;

import dev.colony.vcm.schedule.ClusterState.Dispatch;
import dev.colony.vcm.schedule.CostRouter.Decision;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What is known of one replica: its queue, its speed and its cache. */
final class ReplicaState {

  /** How much of the mean a new call's prefill time makes up. */
  private static final double MEAN = 0.05;

  /** How much of the mean a new call's stall makes up: it passes as soon as the cause does. */
  private static final double STALL = 0.2;

  private final String model;
  private final PrefillFit fit;
  private Optional<PrefillSpeed> toldSpeed = Optional.empty();
  private final EstimatedBlocks estimated;
  private final ToldBlocks told;

  /** In the order of dispatch: those whose first token has not been seen. */
  private final Set<Dispatch> waiting = new LinkedHashSet<>();

  private double waitingSeconds;

  /** When the replica was last done with a prompt. */
  private double free = Double.NEGATIVE_INFINITY;

  /** The latest whose first tokens have come. */
  private PrefillFit.Batch batch = new PrefillFit.Batch();

  private int calls;
  private double stall;
  private final Map<Long, Integer> inFlight = new HashMap<>();
  private double meanPrefill;

  private int toldSize;

  ReplicaState(ScheduleSettings settings, String model) {
    this.model = model;
    fit = new PrefillFit(settings.prior(), settings.window());
    estimated = new EstimatedBlocks(settings.cacheBlocks(), settings.mostBlocks());
    told = new ToldBlocks(settings.mostBlocks());
  }

  EstimatedBlocks estimatedBlocks() {
    return estimated;
  }

  ToldBlocks toldBlocks() {
    return told;
  }

  void cacheHolds(int blocks) {
    if (blocks != toldSize) {
      toldSize = blocks;
      estimated.resize(blocks);
    }
  }

  /** By its own word; 0 where it has not said. */
  int toldSize() {
    return toldSize;
  }

  /** By its own word, else as it is estimated. */
  int capacity() {
    return toldSize > 0 ? toldSize : estimated.size();
  }

  /** What is in use, what the replica says it holds, and of the rest what it should. */
  Residency residency() {
    return new Residency() {
      @Override
      public boolean holds(long block) {
        return inFlight.containsKey(block)
            || told.holds(block).orElseGet(() -> estimated.holds(block));
      }

      @Override
      public boolean knows(long block) {
        return inFlight.containsKey(block)
            || told.holds(block).isPresent()
            || estimated.knows(block);
      }
    };
  }

  String model() {
    return model;
  }

  PrefillSpeed speed() {
    return toldSpeed.orElseGet(fit::speed);
  }

  /** Whether its speed is its own, by its first answer or by a gateway's word. */
  boolean measured() {
    return toldSpeed.isPresent() || fit.observations() > 0;
  }

  void computes(PrefillSpeed speed) {
    toldSpeed = Optional.of(speed);
  }

  int calls() {
    return calls;
  }

  int waiting(double now) {
    settle(now);
    return waiting.size();
  }

  /** What first tokens have lately come later than they should where nothing waited before them. */
  double stallSeconds() {
    return Math.max(0, stall);
  }

  /** What a call takes here on average, to its first token. */
  double meanPrefill() {
    return meanPrefill;
  }

  Dispatch dispatched(String id, Ask ask, Decision.Run run, double now, boolean tellsFirstToken) {
    settle(now);
    int[] ages = estimated.ages(ask.blocks());
    for (int i = 0; i < ages.length; i++) {
      if (inFlight.containsKey(ask.blocks()[i])) {
        ages[i] = -1;
      }
    }
    Dispatch dispatch =
        new Dispatch(id, ask, now, run.prefillSeconds(), tellsFirstToken, run.cachedBlocks(), ages);
    waiting.add(dispatch);
    waitingSeconds += dispatch.prefillSeconds;
    calls++;
    meanPrefill =
        meanPrefill == 0
            ? dispatch.prefillSeconds
            : meanPrefill + MEAN * (dispatch.prefillSeconds - meanPrefill);
    for (long block : ask.blocks()) {
      inFlight.merge(block, 1, Integer::sum);
    }
    return dispatch;
  }

  void started(Dispatch dispatch, double now) {
    settle(now);
    if (waiting.contains(dispatch)) {
      dispatch.at = now;
    }
  }

  void firstToken(Dispatch dispatch, double now) {
    settle(now);
    if (computed(dispatch, now)) {
      estimated.used(dispatch.ask.blocks());
    }
  }

  void cached(Dispatch dispatch, int blocks) {
    if (dispatch.cachedBlocks < 0) {
      dispatch.cachedBlocks = blocks;
      estimated.cached(dispatch.ages, blocks);
      learn(dispatch);
    }
  }

  /**
   * @param answered false where the replica may not have computed the prompt
   */
  void ended(Dispatch dispatch, double now, boolean answered) {
    if (dispatch.ended) {
      return;
    }
    settle(now);
    dispatch.ended = true;
    calls--;
    for (long block : dispatch.ask.blocks()) {
      inFlight.computeIfPresent(block, (b, uses) -> uses == 1 ? null : uses - 1);
    }
    if (answered) {
      if (dispatch.tellsFirstToken) {
        remove(dispatch);
      } else {
        computed(dispatch, now);
      }
      estimated.used(dispatch.ask.blocks());
      if (dispatch.cachedBlocks < 0) {
        dispatch.cachedBlocks = dispatch.expectedBlocks;
      }
      learn(dispatch);
    } else {
      remove(dispatch);
      if (dispatch.batch != null && !dispatch.learned) {
        dispatch.batch.spoiled = true;
      }
    }
  }

  /** Seconds of prefill that this gateway has sent there and that are still to be done. */
  double backlog(double now) {
    settle(now);
    if (waiting.isEmpty()) {
      return 0;
    }
    Dispatch head = waiting.iterator().next();
    double done = Math.clamp(now - Math.max(head.at, free), 0, head.prefillSeconds);
    return Math.max(0, waitingSeconds - done);
  }

  /** Where the first token is not told of, a prompt counts as computed once it should be. */
  private void settle(double now) {
    Iterator<Dispatch> heads = waiting.iterator();
    while (heads.hasNext()) {
      Dispatch head = heads.next();
      double done = Math.max(head.at, free) + head.prefillSeconds;
      if (head.tellsFirstToken || done > now) {
        return;
      }
      heads.remove();
      waitingSeconds -= head.prefillSeconds;
      free = done;
    }
    waitingSeconds = 0;
  }

  /** Whether it was still waiting for its first token. */
  private boolean computed(Dispatch dispatch, double now) {
    double began = Math.max(dispatch.at, free);
    if (!remove(dispatch)) {
      return false;
    }
    if (dispatch.tellsFirstToken) {
      dispatch.took = now - began;
      stalled(dispatch);
      batched(dispatch, began == free);
    }
    free = now;
    learn(dispatch);
    return true;
  }

  /**
   * By the speed as it is known now; nothing is a stall that may be a speed which is not known.
   * Where prompts are computed together one comes late and the others early.
   */
  private void stalled(Dispatch dispatch) {
    if (measured()) {
      double cached = dispatch.ask.cachedTokens(dispatch.expectedBlocks);
      double expected = speed().seconds(dispatch.ask.promptTokens() - cached, cached);
      stall += STALL * (dispatch.took - expected - stall);
    }
  }

  private boolean remove(Dispatch dispatch) {
    if (!waiting.remove(dispatch)) {
      return false;
    }
    waitingSeconds = waiting.isEmpty() ? 0 : waitingSeconds - dispatch.prefillSeconds;
    return true;
  }

  private void learn(Dispatch dispatch) {
    if (!dispatch.learned && dispatch.batch != null && dispatch.cachedBlocks >= 0) {
      dispatch.learned = true;
      double cached = dispatch.ask.cachedTokens(dispatch.cachedBlocks);
      dispatch.batch.add(dispatch.ask.promptTokens() - cached, cached);
      dispatch.batch.tell(fit);
    }
  }

  /** Puts it into the batch that it was computed in. */
  private void batched(Dispatch dispatch, boolean next) {
    double expected =
        Math.max(
            1, dispatch.ask.promptTokens() - dispatch.ask.cachedTokens(dispatch.expectedBlocks));
    if (!next || !batch.has(expected, dispatch.took)) {
      batch.closed = true;
      batch.tell(fit);
      batch = new PrefillFit.Batch();
    }
    batch.join(expected, dispatch.took);
    dispatch.batch = batch;
  }

  /**
   * What a replica has said of blocks: that it stored or that it evicted them. Bounded: what was
   * said longest ago is forgotten first, so that a block of which an eviction was never heard does
   * not stay for good.
   */
  static final class ToldBlocks {

    private final int most;
    private final Map<Long, Boolean> blocks = new LinkedHashMap<>();

    /**
     * @param most how many blocks are kept, at least 1
     */
    ToldBlocks(int most) {
      this.most = most;
    }

    void told(long block, boolean stored) {
      blocks.remove(block);
      blocks.put(block, stored);
      if (blocks.size() > most) {
        blocks.remove(blocks.keySet().iterator().next());
      }
    }

    /** Empty where nothing was said of it, or too long ago. */
    Optional<Boolean> holds(long block) {
      return Optional.ofNullable(blocks.get(block));
    }

    void forget() {
      blocks.clear();
    }
  }
}
