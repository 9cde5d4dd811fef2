package dev.colony.replica;

import static dev.colony.inference.settings.Ranges.within;

import com.typesafe.config.Config;
import dev.colony.replica.kv.Scheduler.Share;
import dev.colony.replica.kv.Scheduler.Step;
import java.time.Duration;

/**
 * How long a step takes on the accelerator that is modelled. Prompt tokens cost their share of the
 * prefill speed, and more of it the more tokens stand before them; the tokens that are decoded in a
 * step cost a part that does not depend on how many they are, a part for each call, and a part for
 * the tokens that these calls attend to.
 *
 * @param factor of all times; 0 takes no time, 1 is the time of the model
 * @param attentionTokens before a token that many others double its cost
 */
record TimeModel(
    double factor,
    int prefillTokensPerSecond,
    int attentionTokens,
    Duration decodeStep,
    Duration decodePerCall,
    Duration decodePerThousandTokens) {

  private static final String PATH = EmbeddedReplicaSettings.PATH + ".time";
  private static final Duration LONGEST = Duration.ofMinutes(1);

  TimeModel {
    if (!(factor >= 0 && factor <= 1000)) {
      throw new IllegalArgumentException(
          PATH + ".factor = " + factor + " is out of range, allowed is 0 to 1000");
    }
    within(PATH + ".prefill-tokens-per-second", prefillTokensPerSecond, 1, Integer.MAX_VALUE);
    within(PATH + ".attention-tokens", attentionTokens, 1, Integer.MAX_VALUE);
    within(PATH + ".decode-step", decodeStep, Duration.ZERO, LONGEST);
    within(PATH + ".decode-per-call", decodePerCall, Duration.ZERO, LONGEST);
    within(PATH + ".decode-per-1000-tokens", decodePerThousandTokens, Duration.ZERO, LONGEST);
  }

  static TimeModel fromConfig(Config c) {
    return new TimeModel(
        c.getDouble("factor"),
        c.getInt("prefill-tokens-per-second"),
        c.getInt("attention-tokens"),
        c.getDuration("decode-step"),
        c.getDuration("decode-per-call"),
        c.getDuration("decode-per-1000-tokens"));
  }

  /** In nanoseconds; 0 where time is off. */
  long nanos(Step step) {
    if (factor == 0) {
      return 0;
    }
    double nanos = 0;
    int decoding = 0;
    long context = 0;
    for (Share share : step.shares()) {
      if (share.decoding()) {
        decoding++;
        context += share.before();
      } else {
        double attention = (share.before() + share.tokens() / 2.0) / attentionTokens;
        nanos += share.tokens() * (1 + attention) * 1e9 / prefillTokensPerSecond;
      }
    }
    if (decoding > 0) {
      nanos += decodeStep.toNanos();
      nanos += (double) decoding * decodePerCall.toNanos();
      nanos += context / 1000.0 * decodePerThousandTokens.toNanos();
    }
    return Math.round(nanos * factor);
  }
}
