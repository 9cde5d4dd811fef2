package dev.colony.vcm.schedule;

import dev.colony.vcm.schedule.ClusterState.Dispatch;
import dev.colony.vcm.schedule.CostRouter.Decision;
import java.util.Arrays;
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

  private final PrefillFit fit;
  private Optional<PrefillSpeed> toldSpeed = Optional.empty();
  private final EstimatedBlocks estimated;
  private final ToldBlocks told;

  /** In the order of dispatch: those whose first token has not been seen. */
  private final Set<Dispatch> waiting = new LinkedHashSet<>();

  private double waitingSeconds;

  /** When the replica was last done with a prompt. */
  private double free = Double.NEGATIVE_INFINITY;

  private int calls;
  private double stall;
  private final Map<Long, Integer> inFlight = new HashMap<>();
  private double meanPrefill;

  private int toldSize;

  ReplicaState(ScheduleSettings settings) {
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

  PrefillSpeed speed() {
    return toldSpeed.orElseGet(fit::speed);
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
    if (toldSpeed.isPresent() || fit.observations() > 0) {
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
    if (!dispatch.learned && dispatch.took > 0 && dispatch.cachedBlocks >= 0) {
      dispatch.learned = true;
      double cached = dispatch.ask.cachedTokens(dispatch.cachedBlocks);
      fit.observe(dispatch.ask.promptTokens() - cached, cached, dispatch.took);
    }
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

  /**
   * Learns a replica's {@link PrefillSpeed} from how long prompts took there: the line of least
   * absolute error through the latest observations. Up to about a third of them may be far off, as
   * where a prompt had to wait for room, or behind a prompt that this gateway does not know of.
   *
   * <p>While there are fewer than {@value #LEAST} observations, it says what it was made with, so
   * many times slower or faster as their median is. What the observations do not tell, such as the
   * cost of attention where all prompts are short, stays near what it was made with too. An
   * observation costs O(window) once in {@value #REFIT}.
   *
   * <p>By iteratively reweighted least squares (Schlossmacher, "An Iterative Technique for Absolute
   * Deviations Curve Fitting", JASA 1973).
   */
  public static final class PrefillFit {

    private static final int LEAST = 8;
    private static final int REFIT = 8;
    private static final int ROUNDS = 20;

    /** The weight of what it was made with, as a part of all observations. */
    private static final double PRIOR = 0.001;

    /** Seconds: a smaller error counts like one of this size. */
    private static final double EXACT = 1e-4;

    private final PrefillSpeed prior;
    private final double priorAttentionTokens;
    private final double[] tokens;
    private final double[] products;
    private final double[] seconds;
    private int seen;
    private PrefillSpeed speed;

    /**
     * @param prior what is said until enough was observed
     * @param window how many observations count: the latest; at least {@value #LEAST}
     */
    public PrefillFit(PrefillSpeed prior, int window) {
      if (window < LEAST) {
        throw new IllegalArgumentException("window must be at least " + LEAST + ": " + window);
      }
      this.prior = prior;
      priorAttentionTokens = prior.attentionTokens();
      tokens = new double[window];
      products = new double[window];
      seconds = new double[window];
      speed = prior;
    }

    /** A prompt of {@code uncached} tokens behind {@code cached} ones took that long to compute. */
    public void observe(double uncached, double cached, double took) {
      if (!(uncached > 0) || !(took > 0) || cached < 0) {
        return;
      }
      int at = seen++ % tokens.length;
      tokens[at] = uncached;
      products[at] = uncached * (cached + uncached / 2);
      seconds[at] = took;
      if (seen < LEAST) {
        speed = scaled();
      } else if (seen % REFIT == 0) {
        fit(Math.min(seen, tokens.length));
      }
    }

    private PrefillSpeed scaled() {
      double[] times = new double[seen];
      for (int i = 0; i < seen; i++) {
        double linear = tokens[i] + products[i] / prior.attentionTokens();
        times[i] = seconds[i] * prior.tokensPerSecond() / linear;
      }
      Arrays.sort(times);
      return new PrefillSpeed(prior.tokensPerSecond() / times[(seen - 1) / 2], priorAttentionTokens);
    }

    /** The speed as it is known. */
    public PrefillSpeed speed() {
      return speed;
    }

    /** How many observations there were. */
    public int observations() {
      return seen;
    }

    // seconds = a * tokens + b * products, with b = a / attentionTokens
    private void fit(int count) {
      double a = 1 / speed.tokensPerSecond();
      double b = a / speed.attentionTokens();
      for (int round = 0; round < ROUNDS; round++) {
        double tt = 0;
        double tp = 0;
        double pp = 0;
        double ts = 0;
        double ps = 0;
        for (int i = 0; i < count; i++) {
          double error = round == 0 ? seconds[i] : seconds[i] - a * tokens[i] - b * products[i];
          // Neither the long prompts alone nor the short ones: by the root of what they took.
          double weight = 1 / Math.max(Math.abs(error), EXACT) / Math.sqrt(seconds[i]);
          tt += weight * tokens[i] * tokens[i];
          tp += weight * tokens[i] * products[i];
          pp += weight * products[i] * products[i];
          ts += weight * tokens[i] * seconds[i];
          ps += weight * products[i] * seconds[i];
        }
        // As if, in addition, 0 = priorAttentionTokens * b - a had been seen.
        double known = priorAttentionTokens;
        if (!Double.isInfinite(known)) {
          double prior = PRIOR * pp / (known * known);
          tt += prior;
          tp -= prior * known;
          pp += prior * known * known;
        }
        double determinant = tt * pp - tp * tp;
        if (determinant > 1e-9 * tt * pp) {
          a = (ts * pp - ps * tp) / determinant;
          b = (tt * ps - tp * ts) / determinant;
        }
        if (!(b > 0) || determinant <= 1e-9 * tt * pp) {
          b = 0;
          a = ts / tt;
        } else if (!(a > 0)) {
          // All of it is attention, as far as can be seen.
          a = ps / pp / 1000;
          b = ps / pp;
        }
      }
      if (a > 0 && Double.isFinite(a) && Double.isFinite(1 / a)) {
        speed = new PrefillSpeed(1 / a, b > 0 ? a / b : Double.POSITIVE_INFINITY);
      }
    }
  }
}
