package dev.colony.replica;

import dev.colony.replica.Scheduler.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * What vLLM tells of its engine under {@code /metrics}: the same names, units, labels and buckets.
 * Thread-safe.
 */
final class EngineMetrics {

  /**
   * The engine at one moment.
   *
   * @param cacheUsage share of the blocks that running calls hold
   */
  record State(int running, int waiting, double cacheUsage, long queriedTokens, long hitTokens) {}

  private static final double[] FIRST_TOKEN_SECONDS = {
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40,
    80, 160, 640, 2560
  };
  private static final double[] TOKEN_SECONDS = {
    0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80
  };
  private static final double[] REQUEST_SECONDS = {
    0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680
  };
  private static final double[] STEP_TOKENS = {
    1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384
  };
  private static final List<String> REASONS = List.of("stop", "length", "abort");

  private static final class Histogram {
    final String help;
    final double[] bounds;
    final long[] counts;
    double sum;

    Histogram(String help, double[] bounds) {
      this.help = help;
      this.bounds = bounds;
      this.counts = new long[bounds.length + 1];
    }

    void observe(double value) {
      int bucket = 0;
      while (bucket < bounds.length && value > bounds[bucket]) {
        bucket++;
      }
      counts[bucket]++;
      sum += value;
    }
  }

  /** The times of one call. */
  final class Timing {
    private final long arrived = clock.getAsLong();
    private long scheduled;
    private long first;
    private long last;

    /** It has a share of a step. */
    void scheduled() {
      if (scheduled == 0) {
        scheduled = clock.getAsLong();
      }
    }

    /** A token of its reply is there. */
    void token() {
      long now = clock.getAsLong();
      synchronized (EngineMetrics.this) {
        if (first == 0) {
          first = now;
          firstToken.observe(seconds(arrived, now));
        } else {
          betweenTokens.observe(seconds(last, now));
        }
        generationTokens++;
      }
      last = now;
    }

    /** Its reply is complete. */
    void finished(int prompt, int generated, String reason) {
      synchronized (EngineMetrics.this) {
        promptTokens += prompt;
        requests.merge(reason, 1L, Long::sum);
        total.observe(seconds(arrived, last));
        queue.observe(seconds(arrived, scheduled));
        inference.observe(seconds(scheduled, last));
        prefill.observe(seconds(scheduled, first));
        decode.observe(seconds(first, last));
        requestPrompt.observe(prompt);
        requestGeneration.observe(generated);
        if (generated > 1) {
          perToken.observe(seconds(first, last) / (generated - 1));
        }
      }
    }
  }

  private static final String MODEL = "model_name=\"" + EmbeddedReplica.MODEL + "\"";
  private static final String LABELS = "engine=\"0\"," + MODEL;

  private final String cacheConfig;
  private final LongSupplier clock;
  private final Map<String, Histogram> histograms = new LinkedHashMap<>();
  private final Histogram firstToken =
      histogram(
          "time_to_first_token_seconds", "time to first token in seconds", FIRST_TOKEN_SECONDS);
  private final Histogram betweenTokens =
      histogram("inter_token_latency_seconds", "inter-token latency in seconds", TOKEN_SECONDS);
  private final Histogram perToken =
      histogram(
          "request_time_per_output_token_seconds",
          "time_per_output_token_seconds per request",
          TOKEN_SECONDS);
  private final Histogram total =
      histogram("e2e_request_latency_seconds", "e2e request latency in seconds", REQUEST_SECONDS);
  private final Histogram queue =
      histogram(
          "request_queue_time_seconds", "time spent in WAITING phase for request", REQUEST_SECONDS);
  private final Histogram inference =
      histogram(
          "request_inference_time_seconds",
          "time spent in RUNNING phase for request",
          REQUEST_SECONDS);
  private final Histogram prefill =
      histogram(
          "request_prefill_time_seconds",
          "time spent in PREFILL phase for request",
          REQUEST_SECONDS);
  private final Histogram decode =
      histogram(
          "request_decode_time_seconds", "time spent in DECODE phase for request", REQUEST_SECONDS);
  private final Histogram stepTokens =
      histogram("iteration_tokens_total", "number of tokens per engine_step", STEP_TOKENS);
  private final Histogram requestPrompt;
  private final Histogram requestGeneration;
  private final Map<String, Long> requests = new LinkedHashMap<>();
  private long promptTokens;
  private long generationTokens;
  private long preemptions;

  EngineMetrics(EmbeddedReplicaSettings settings, LongSupplier nanoClock) {
    this.clock = nanoClock;
    this.cacheConfig =
        "block_size=\"%d\",enable_prefix_caching=\"True\",engine=\"0\",num_gpu_blocks=\"%d\""
            .formatted(EmbeddedReplicaSettings.BLOCK_TOKENS, settings.capacityBlocks());
    double[] sizes = sizes(settings.contextTokens());
    requestPrompt = named("request_prompt_tokens", "Number of prefill tokens processed.", sizes);
    requestGeneration =
        named("request_generation_tokens", "Number of generation tokens processed.", sizes);
    REASONS.forEach(reason -> requests.put(reason, 0L));
  }

  Timing arrived() {
    return new Timing();
  }

  synchronized void aborted() {
    requests.merge("abort", 1L, Long::sum);
  }

  synchronized void step(Step step) {
    preemptions += step.preempted();
    stepTokens.observe(step.shares().stream().mapToInt(share -> share.tokens()).sum());
  }

  /** All metrics as Prometheus text. */
  synchronized String text(State state) {
    Page page = new Page();
    page.gauge(
        "num_requests_running", "Number of requests in model execution batches.", state.running());
    page.gauge(
        "num_requests_waiting", "Number of requests waiting to be processed.", state.waiting());
    page.gauge(
        "kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.", state.cacheUsage());
    page.counter(
        "prefix_cache_queries",
        "Prefix cache queries, in terms of number of queried tokens.",
        state.queriedTokens());
    page.counter(
        "prefix_cache_hits",
        "Prefix cache hits, in terms of number of cached tokens.",
        state.hitTokens());
    page.counter(
        "num_preemptions", "Cumulative number of preemption from the engine.", preemptions);
    page.counter("prompt_tokens", "Number of prefill tokens processed.", promptTokens);
    page.counter("generation_tokens", "Number of generation tokens processed.", generationTokens);
    page.head("request_success_total", "Count of successfully processed requests.", "counter");
    requests.forEach((reason, count) ->
        page.sample(
            "request_success_total",
            "engine=\"0\",finished_reason=\"" + reason + "\"," + MODEL,
            count));
    histograms.forEach(page::histogram);
    page.head("cache_config_info", "Information of the LLMEngine CacheConfig", "gauge");
    page.sample("cache_config_info", cacheConfig, 1);
    return page.text.toString();
  }

  private Histogram histogram(String name, String of, double[] bounds) {
    return named(name, "Histogram of " + of + ".", bounds);
  }

  private Histogram named(String name, String help, double[] bounds) {
    Histogram histogram = new Histogram(help, bounds);
    histograms.put(name, histogram);
    return histogram;
  }

  /** A page of Prometheus text. */
  private static final class Page {

    final StringBuilder text = new StringBuilder(8192);

    void gauge(String name, String help, double value) {
      head(name, help, "gauge");
      sample(name, LABELS, value);
    }

    void counter(String name, String help, double value) {
      head(name + "_total", help, "counter");
      sample(name + "_total", LABELS, value);
    }

    void histogram(String name, Histogram histogram) {
      head(name, histogram.help, "histogram");
      long count = 0;
      for (int i = 0; i < histogram.counts.length; i++) {
        count += histogram.counts[i];
        String bound = i < histogram.bounds.length ? number(histogram.bounds[i]) : "+Inf";
        sample(name + "_bucket", "engine=\"0\",le=\"" + bound + "\"," + MODEL, count);
      }
      sample(name + "_count", LABELS, count);
      sample(name + "_sum", LABELS, histogram.sum);
    }

    void head(String name, String help, String type) {
      text.append("# HELP vllm:").append(name).append(' ').append(help).append('\n');
      text.append("# TYPE vllm:").append(name).append(' ').append(type).append('\n');
    }

    void sample(String name, String labels, double value) {
      text.append("vllm:").append(name).append('{').append(labels).append("} ");
      text.append(number(value)).append('\n');
    }
  }

  private static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? String.format(Locale.ROOT, "%.1f", value)
        : Double.toString(value);
  }

  private static double seconds(long from, long to) {
    return (to - from) / 1e9;
  }

  /** 1, 2, 5, 10 and so on, up to the largest. */
  private static double[] sizes(int largest) {
    List<Double> sizes = new ArrayList<>();
    for (long power = 1; power <= largest; power *= 10) {
      for (long size : new long[] {power, 2 * power, 5 * power}) {
        if (size <= largest) {
          sizes.add((double) size);
        }
      }
    }
    return sizes.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
