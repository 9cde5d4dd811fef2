package dev.colony.inference.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What vLLM says under /metrics. */
class EngineLoadTest {

  private static final String VLLM =
      """
      # HELP vllm:num_requests_running Number of requests in model execution batches.
      # TYPE vllm:num_requests_running gauge
      vllm:num_requests_running{engine="0",model_name="m"} 3.0
      vllm:num_requests_running{engine="1",model_name="m"} 2.0
      # HELP vllm:num_requests_waiting Number of requests waiting to be processed.
      # TYPE vllm:num_requests_waiting gauge
      vllm:num_requests_waiting{engine="0",model_name="m"} 7.0
      vllm:num_requests_waiting{engine="1",model_name="m"} 0.0
      # HELP vllm:kv_cache_usage_perc KV-cache usage. 1 means 100 percent usage.
      vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25
      vllm:kv_cache_usage_perc{engine="1",model_name="m"} 0.75
      vllm:cache_config_info{block_size="16",cache_dtype="auto",num_gpu_blocks="27184",swap_space="4"} 1.0
      vllm:time_to_first_token_seconds_bucket{le="0.001",model_name="m"} 0.0
      process_open_fds 42.0
      """;

  @Test
  void callsOfAllPartsAreAddedUpAndTheFullestCacheCounts() {
    assertThat(EngineLoad.parse(VLLM))
        .contains(new EngineLoad(5, 7, 0.75, OptionalLong.of(27184), OptionalInt.of(16)));
  }

  @Test
  void earlierVersionsNameTheCacheOtherwise() {
    assertThat(
            EngineLoad.parse(
                """
                vllm:num_requests_running 1
                vllm:num_requests_waiting 0
                vllm:gpu_cache_usage_perc 0.5
                """))
        .contains(new EngineLoad(1, 0, 0.5, OptionalLong.empty(), OptionalInt.empty()));
  }

  @Test
  void whatIsNoEngineOfThatKindSaysNothing() {
    assertThat(EngineLoad.parse("")).isEmpty();
    assertThat(EngineLoad.parse("<html>not found</html>")).isEmpty();
    assertThat(EngineLoad.parse("vllm:num_requests_running 1\n")).isEmpty();
  }

  @Test
  void whatIsNotUnderstoodIsPassedOver() {
    assertThat(
            EngineLoad.parse(
                "vllm:num_requests_running NaN\nvllm:num_requests_running many\n"
                    + "vllm:num_requests_running 1e300\nvllm:num_requests_running -4\n"
                    + "vllm:num_requests_running{model=\""
                    + "x".repeat(9000)
                    + "\"} 100\n"
                    + "vllm:cache_config_info{block_size=\"0\",num_gpu_blocks=\"None\"} 1\n"
                    + "vllm:num_requests_running 2 1700000000000\nvllm:num_requests_waiting 1"))
        .contains(new EngineLoad(2, 1, 0, OptionalLong.empty(), OptionalInt.empty()));
  }
}
