package dev.colony.inference.replicas;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an engine tells of its load in the Prometheus text format, by vLLM's names. Of an engine in
 * several parts the calls are added up and the fullest cache counts.
 *
 * @param running calls that it computes
 * @param waiting calls that it has accepted and has not begun
 * @param cacheUsage share of its cache that running calls hold, from 0 to 1
 * @param cacheBlocks how many blocks its cache has; empty where the engine does not report it
 * @param blockTokens how many tokens a block has; empty where the engine does not report it
 */
public record EngineLoad(
    int running,
    int waiting,
    double cacheUsage,
    OptionalLong cacheBlocks,
    OptionalInt blockTokens) {

  private static final Pattern SAMPLE =
      Pattern.compile("vllm:(\\w+)(?:\\{([^}]*)\\})?\\s+([^\\s]+).*");
  private static final Pattern STARTED =
      Pattern.compile("process_start_time_seconds(?:\\{[^}]*\\})?\\s+(\\S+).*");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

  /** Longest line that is looked at; no sample that is wanted is as long. */
  private static final int LONGEST_LINE = 8192;

  /**
   * Reads what an engine tells. Lines that are not wanted, too long or not understood are passed
   * over. Empty where it does not say how many calls run and wait: it is no vLLM, or another one.
   */
  public static Optional<EngineLoad> parse(String text) {
    double running = Double.NaN;
    double waiting = Double.NaN;
    double usage = 0;
    OptionalLong blocks = OptionalLong.empty();
    OptionalInt tokens = OptionalInt.empty();
    for (String line : (Iterable<String>) text.lines()::iterator) {
      if (line.length() > LONGEST_LINE || !line.startsWith("vllm:")) {
        continue;
      }
      Matcher sample = SAMPLE.matcher(line);
      if (!sample.matches()) {
        continue;
      }
      double value = number(sample.group(3));
      if (!(value >= 0)) {
        continue;
      }
      switch (sample.group(1)) {
        case "num_requests_running" -> running = plus(running, value);
        case "num_requests_waiting" -> waiting = plus(waiting, value);
        case "kv_cache_usage_perc", "gpu_cache_usage_perc" -> usage = Math.max(usage, value);
        case "cache_config_info" -> {
          String labels = sample.group(2) == null ? "" : sample.group(2);
          blocks = label(labels, "num_gpu_blocks");
          OptionalLong size = label(labels, "block_size");
          tokens = size.isEmpty() ? tokens : OptionalInt.of((int) size.getAsLong());
        }
        default -> {
          // one of the many that say nothing of the load
        }
      }
    }
    return Double.isNaN(running) || Double.isNaN(waiting)
        ? Optional.empty()
        : Optional.of(
            new EngineLoad((int) running, (int) waiting, Math.min(1, usage), blocks, tokens));
  }

  /** How many tokens its cache holds; empty where the engine does not report it. */
  public OptionalLong cacheTokens() {
    return cacheBlocks.isPresent() && blockTokens.isPresent()
        ? OptionalLong.of(cacheBlocks.getAsLong() * blockTokens.getAsInt())
        : OptionalLong.empty();
  }

  /**
   * When the server's process began, in seconds since 1970; empty where it does not say. Of several
   * processes the latest.
   */
  static OptionalDouble started(String text) {
    return text.lines()
        .filter(line -> line.length() <= LONGEST_LINE)
        .map(STARTED::matcher)
        .filter(Matcher::matches)
        .mapToDouble(sample -> seconds(sample.group(1)))
        .filter(value -> value > 0)
        .max();
  }

  private static double seconds(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException none) {
      return Double.NaN;
    }
  }

  private static double plus(double sum, double value) {
    return Double.isNaN(sum) ? value : sum + value;
  }

  private static double number(String text) {
    double value = seconds(text);
    return value <= Integer.MAX_VALUE ? value : Double.NaN;
  }

  private static OptionalLong label(String labels, String name) {
    Matcher label = LABEL.matcher(labels);
    while (label.find()) {
      if (label.group(1).equals(name) && label.group(2).matches("[1-9]\\d{0,8}")) {
        return OptionalLong.of(Long.parseLong(label.group(2)));
      }
    }
    return OptionalLong.empty();
  }
}
