package dev.colony.inference.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where servers say that they publish the events of their caches. */
class CacheFeedsTest {

  private static final URI SERVER = URI.create("http://gpu-1:8000/v1");

  /** A rank as vLLM 0.32 lists it. */
  private static String rank(int rank, String endpoint, String replay) {
    return ("\"%d\":{\"enable_kv_cache_events\":true,\"publisher\":\"zmq\",\"endpoint\":\"%s\","
            + "\"replay_endpoint\":%s,\"buffer_steps\":10000,\"hwm\":100000,"
            + "\"max_queue_size\":100000,\"topic\":\"kv\"}")
        .formatted(rank, endpoint, replay);
  }

  private static KvEventFeed.Settings at(String events, String replay) {
    return new KvEventFeed.Settings(
        URI.create(events), Optional.ofNullable(replay).map(URI::create), "kv");
  }

  @Test
  void eachRankIsFollowedAtTheServersHostWhereItIsBoundToAll() {
    String told =
        "{"
            + rank(0, "tcp://*:5557", "\"tcp://*:5657\"")
            + ","
            + rank(1, "tcp://0.0.0.0:5558", "null")
            + ","
            + rank(2, "tcp://10.0.0.7:41234", "null")
            + "}";
    assertThat(CacheFeeds.sources(told, SERVER))
        .containsExactly(
            at("tcp://gpu-1:5557", "tcp://gpu-1:5657"),
            at("tcp://gpu-1:5558", null),
            at("tcp://10.0.0.7:41234", null));
  }

  @Test
  void anotherHostsLoopbackIsNotOurs() {
    String told = "{" + rank(0, "tcp://127.0.0.1:5557", "null") + "}";
    assertThat(CacheFeeds.sources(told, SERVER)).isEmpty();
    assertThat(CacheFeeds.sources(told, URI.create("http://127.0.0.1:8000")))
        .containsExactly(at("tcp://127.0.0.1:5557", null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "[]",
        "<html>",
        "{\"0\": 1}",
        "{\"0\": {\"publisher\": \"null\", \"endpoint\": \"tcp://*:1\"}}",
        "{\"0\": {\"publisher\": \"zmq\", \"endpoint\": \"ipc:///tmp/a\"}}",
        "{\"0\": {\"publisher\": \"zmq\", \"endpoint\": \"tcp://a b:1\"}}"
      })
  void whatListsNoneIsNone(String told) {
    assertThat(CacheFeeds.sources(told, SERVER)).isEmpty();
  }
}
