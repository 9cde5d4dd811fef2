package dev.colony.replica.kv;

import static dev.colony.inference.settings.Ranges.within;

import com.typesafe.config.Config;
import dev.colony.replica.kv.Scheduler.Share;
import dev.colony.replica.kv.Scheduler.Step;
import java.time.Duration;
import java.util.Map;
import java.util.TreeSet;

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

  /** Where the settings stand in a configuration. */
  public static final String PATH = "colony.inference.embedded.time";

  private static final Duration LONGEST = Duration.ofMinutes(1);

  /** The name of {@link #LLAMA_70B_2XH100} in the settings. */
  private static final String USUAL = "llama-70b-2xh100";

  /**
   * Llama 3.3 70B in FP8 on two H100 with tensor parallelism, a fit to what NVIDIA publishes of it
   * for NIM 1.0 with 5000 tokens of prompt and 500 of reply: 406.77 ms to the first token and 18.58
   * ms between two of one call alone, 38.75 ms with 25 of them, 917 to 921 tokens a second with 100
   * and more.
   */
  public static final TimeModel LLAMA_70B_2XH100 =
      new TimeModel(
          1, 12_900, 53_000, Duration.ofNanos(18_600_000), Duration.ZERO, Duration.ofNanos(24_000));

  private static final Map<String, TimeModel> PRESETS = Map.of(USUAL, LLAMA_70B_2XH100);

  public TimeModel {
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

  /** Reads the settings of the section at {@link #PATH}. */
  public static TimeModel fromConfig(Config c) {
    String name = c.getString("preset");
    TimeModel preset = PRESETS.get(name);
    if (preset == null) {
      throw new IllegalArgumentException(
          "%s.preset = %s is none, allowed is one of %s"
              .formatted(PATH, name, new TreeSet<>(PRESETS.keySet())));
    }
    return new TimeModel(
        c.getDouble("factor"),
        preset(c, "prefill-tokens-per-second")
            ? preset.prefillTokensPerSecond
            : c.getInt("prefill-tokens-per-second"),
        preset(c, "attention-tokens") ? preset.attentionTokens : c.getInt("attention-tokens"),
        duration(c, "decode-step", preset.decodeStep),
        duration(c, "decode-per-call", preset.decodePerCall),
        duration(c, "decode-per-1000-tokens", preset.decodePerThousandTokens));
  }

  private static boolean preset(Config c, String key) {
    return c.getString(key).equals("preset");
  }

  private static Duration duration(Config c, String key, Duration preset) {
    return preset(c, key) ? preset : c.getDuration(key);
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
