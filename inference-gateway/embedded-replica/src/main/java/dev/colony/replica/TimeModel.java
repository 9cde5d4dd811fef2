package dev.colony.replica;

import dev.colony.replica.Scheduler.Share;
import dev.colony.replica.Scheduler.Step;
import java.time.Duration;

/**
 * How long a step takes on the accelerator that is modelled: as long as its prompt tokens take to
 * compute, each of which costs more the more tokens stand before it, or as long as the model's
 * weights take to be read, whichever is longer; and in addition what each call that decodes takes,
 * and the tokens that these calls attend to.
 *
 * @param factor of all times; 0 takes no time, 1 is the time of the model
 * @param attentionTokens before a token that many others double its cost
 * @param decodeStep what a step takes at least
 */
public record TimeModel(
    double factor,
    int prefillTokensPerSecond,
    int attentionTokens,
    Duration decodeStep,
    Duration decodePerCall,
    Duration decodePerThousandTokens) {

  /**
   * Llama 3.3 70B in FP8 on two H100 with tensor parallelism, a fit to what NVIDIA publishes of it
   * for NIM 1.0 with 5000 tokens of prompt and 500 of reply: 406.77 ms to the first token and 18.58
   * ms between two of one call alone, 38.75 ms with 25 of them, 917 to 921 tokens a second with 100
   * and more.
   */
  public static final TimeModel LLAMA_70B_2XH100 =
      new TimeModel(
          1, 12_900, 53_000, Duration.ofNanos(18_600_000), Duration.ZERO, Duration.ofNanos(24_000));

  /** The same with all times multiplied. */
  public TimeModel times(double more) {
    return new TimeModel(
        factor * more,
        prefillTokensPerSecond,
        attentionTokens,
        decodeStep,
        decodePerCall,
        decodePerThousandTokens);
  }

  /** In nanoseconds; 0 where time is off, and for a step without shares. */
  public long nanos(Step step) {
    if (factor == 0 || step.shares().isEmpty()) {
      return 0;
    }
    double prefill = 0;
    int decoding = 0;
    long context = 0;
    for (Share share : step.shares()) {
      if (share.decoding()) {
        decoding++;
        context += share.before();
      } else {
        double attention = (share.before() + share.tokens() / 2.0) / attentionTokens;
        prefill += share.tokens() * (1 + attention) * 1e9 / prefillTokensPerSecond;
      }
    }
    double nanos =
        Math.max(prefill, decodeStep.toNanos())
            + (double) decoding * decodePerCall.toNanos()
            + context / 1000.0 * decodePerThousandTokens.toNanos();
    return Math.round(nanos * factor);
  }
}
