package dev.colony.journal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.server.RespStub;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** The index on a Redis that takes connections while it loads its data. */
class OutstandingIndexTest {

  @Test
  void whatCannotBeReadSaysWhyOnOneLine() throws IOException {
    try (RespStub stub =
            new RespStub(command ->
                switch (command.get(0)) {
                  case "INFO" -> RespStub.bulk("redis_version:6.2.0\r\nmaxmemory:0\r\n");
                  case "GET" -> RespStub.bulk("2 slots=64");
                  case "EVALSHA" -> RespStub.bulk("");
                  case "SMEMBERS" -> "-LOADING Redis is loading the dataset in memory";
                  default -> "+PONG";
                });
        Journal journal =
            Journal.open(
                stub.uri(),
                ConfigFactory.parseString("colony.agent.journal.command-timeout = 1s")
                    .withFallback(ConfigFactory.load()))) {
      assertThatThrownBy(() -> journal.outstanding().slot(3).toCompletableFuture().join())
          .isInstanceOf(CompletionException.class)
          .cause()
          .isInstanceOf(JournalException.class)
          .hasMessage(
              "reading slot 3 failed: Redis is still loading its data; wait, many gigabytes take"
                  + " minutes");
    }
  }
}
