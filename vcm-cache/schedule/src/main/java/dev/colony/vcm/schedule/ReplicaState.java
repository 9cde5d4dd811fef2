package dev.colony.vcm.schedule;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** What is known of one replica: its queue, its speed and its cache. */
final class ReplicaState {

  /** How much of the mean a new call's prefill time makes up. */
  private static final double MEAN = 0.05;

  private final ScheduleSettings settings;
  private final PrefillFit fit;
  private final EstimatedBlocks estimated;
  private ExactBlocks exact;

  /** In the order of dispatch: those whose first token has not been seen. */
  private final Set<Dispatch> waiting = new LinkedHashSet<>();

  private double waitingSeconds;

  /** When the replica was last done with a prompt. */
  private double free = Double.NEGATIVE_INFINITY;

  private int calls;
  private final Map<Long, InFlight> inFlight = new HashMap<>();

  /** Blocks that prompts sent there had to bring into the cache, ever. */
  private long entered;

  /** Of these, those of prompts that are still waiting. */
  private long entering;

  private double meanPrefill;

  /** Calls that use a block, and what had entered when the latest of them was sent. */
  private record InFlight(int calls, long entered) {}

  ReplicaState(ScheduleSettings settings) {
    this.settings = settings;
    fit = new PrefillFit(settings.prior(), settings.window());
    estimated = new EstimatedBlocks(settings.cacheBlocks(), settings.mostBlocks());
  }

  /**
   * Goes by the replica's own word on its cache, from an empty one on; or by the estimate again.
   */
  void exact(boolean told) {
    if (told && exact == null) {
      exact = new ExactBlocks(settings.mostBlocks());
    } else if (!told) {
      exact = null;
    }
  }

  ExactBlocks exactBlocks() {
    if (exact == null) {
      throw new IllegalStateException("the replica's cache is estimated");
    }
    return exact;
  }

  boolean tells() {
    return exact != null;
  }

  EstimatedBlocks estimatedBlocks() {
    return estimated;
  }

  /**
   * What will be cached when a prompt that is sent now starts: what is in use, and of what is
   * cached that which the prompts before it leave there.
   */
  Residency residency() {
    return this::stays;
  }

  private boolean stays(long block) {
    InFlight used = inFlight.get(block);
    if (used != null) {
      return entered - used.entered() < estimated.size();
    }
    int age = estimated.usedSince(block);
    if (age == EstimatedBlocks.UNKNOWN) {
      return exact != null && exact.holds(block) && entering < estimated.size();
    }
    return age + entering < estimated.size() && (exact == null || exact.holds(block));
  }

  PrefillSpeed speed() {
    return fit.speed();
  }

  int calls() {
    return calls;
  }

  int waiting(double now) {
    settle(now);
    return waiting.size();
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
    entered += dispatch.newBlocks();
    entering += dispatch.newBlocks();
    for (long block : ask.blocks()) {
      InFlight before = inFlight.get(block);
      inFlight.put(block, new InFlight(before == null ? 1 : before.calls() + 1, entered));
    }
    return dispatch;
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
      inFlight.computeIfPresent(
          block,
          (b, used) -> used.calls() == 1 ? null : new InFlight(used.calls() - 1, used.entered()));
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
      entering -= head.newBlocks();
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
    }
    free = now;
    learn(dispatch);
    return true;
  }

  private boolean remove(Dispatch dispatch) {
    if (!waiting.remove(dispatch)) {
      return false;
    }
    entering -= dispatch.newBlocks();
    waitingSeconds = waiting.isEmpty() ? 0 : waitingSeconds - dispatch.prefillSeconds;
    return true;
  }

  private void learn(Dispatch dispatch) {
    if (!dispatch.learned && dispatch.took > 0 && dispatch.cachedBlocks >= 0) {
      dispatch.learned = true;
      double cached = dispatch.ask.cachedTokens(dispatch.cachedBlocks);
      fit.observe(dispatch.ask.promptTokens() - cached, cached, dispatch.took);
    }
  }
}
