package dev.colony.replica;

/** The replica's gauges and counters as Prometheus text, under the names that vLLM uses. */
final class MetricsText {

  private final StringBuilder text = new StringBuilder();

  private MetricsText() {}

  static String of(Engine engine, KvCache cache) {
    return new MetricsText()
        .gauge("vllm:num_requests_running", "Calls running.", engine.running())
        .gauge("vllm:num_requests_waiting", "Calls waiting for a slot or blocks.", engine.waiting())
        .gauge("vllm:kv_cache_usage_perc", "Blocks held by running calls; 1 is all.", cache.usage())
        .counter("vllm:prefix_cache_queries", "Prompt tokens looked up.", cache.queriedTokens())
        .counter("vllm:prefix_cache_hits", "Prompt tokens found cached.", cache.hitTokens())
        .counter("vllm:prompt_tokens", "Prompt tokens processed.", engine.promptTokens())
        .counter("vllm:generation_tokens", "Tokens generated.", engine.completionTokens())
        .text
        .toString();
  }

  private MetricsText gauge(String name, String help, Number value) {
    return sample(name, "gauge", help, value);
  }

  private MetricsText counter(String name, String help, Number value) {
    return sample(name + "_total", "counter", help, value);
  }

  private MetricsText sample(String name, String type, String help, Number value) {
    text.append("# HELP ").append(name).append(' ').append(help).append('\n');
    text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    text.append(name).append("{model_name=\"").append(EmbeddedReplica.MODEL).append("\"} ");
    text.append(value).append('\n');
    return this;
  }
}
