package dev.colony.agent.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.inspect.Past;
import dev.colony.blackboard.server.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The first look at an agent's past connects to the journal, which blocks, and Lettuce ends the
 * handshake with a server that wants a password on the common pool: as many first looks as that has
 * threads would take them all if they were made there.
 */
class PasswordedHistoryTest {

  private static final AgentId AGENT = new AgentId("acme", "lab", "unknown");

  @Test
  void asManyFirstLooksAtOnceAsTheCommonPoolHasThreads() {
    List<ColonyClient> clients = new ArrayList<>();
    try (TestServer server = TestServer.start("user guest reset on >secret ~* &* +@all")) {
      String url = server.uri().replace("://", "://guest:secret@");
      for (int i = 0; i < ForkJoinPool.getCommonPoolParallelism(); i++) {
        clients.add(ColonyClient.connect(url, RedisHandleTest.CONFIG));
      }
      List<CompletableFuture<Past>> looks =
          clients.stream()
              .map(client -> client.colony().agent(AGENT).at(1).toCompletableFuture())
              .toList();
      assertThat(looks)
          .allSatisfy(look ->
              assertThat(look.orTimeout(60, TimeUnit.SECONDS).join())
                  .isEqualTo(new Past.Unknown(AGENT)));
    } finally {
      clients.forEach(ColonyClient::close);
    }
  }
}
