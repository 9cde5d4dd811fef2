package dev.colony.vcm.schedule;

import java.util.Arrays;

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
public final class PrefillFit {

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
    if (uncached > 0 && cached >= 0) {
      observed(uncached, uncached * (cached + uncached / 2), took);
    }
  }

  /** Several prompts took that long together, with the sums of their tokens and products. */
  void observed(double uncached, double product, double took) {
    if (!(uncached > 0) || !(took > 0)) {
      return;
    }
    int at = seen++ % tokens.length;
    tokens[at] = uncached;
    products[at] = product;
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

  /**
   * Prompts that an engine has computed together: the first token of one comes late, those of the
   * others right behind it. What they took is known of all of them only.
   */
  static final class Batch {

    /** One whose tokens took less than this part of what those before it took was with them. */
    private static final double TOGETHER = 0.5;

    private double expected;
    private double took;
    private double tokens;
    private double products;
    private int open;
    boolean closed;
    boolean spoiled;

    boolean has(double more, double later) {
      return later / more < TOGETHER * took / Math.max(1, expected);
    }

    void join(double more, double later) {
      expected += more;
      took += later;
      open++;
    }

    void add(double uncached, double cached) {
      tokens += Math.max(0, uncached);
      products += Math.max(0, uncached) * (cached + uncached / 2);
      open--;
    }

    /** Once nothing more comes to it, and all of it is known. */
    void tell(PrefillFit fit) {
      if (closed && open == 0 && !spoiled) {
        spoiled = true;
        fit.observed(tokens, products, took);
      }
    }
  }
}
