package dev.colony.blackboard.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.server.RedisShell;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What can happen to the connections of a client and to its server. */
enum Fault {
  /** The server closes all connections, those of pub/sub too. */
  CONNECTIONS_KILLED {
    @Override
    void inflict(Victim victim) {
      RedisShell shell = new RedisShell(victim.redis().port());
      shell.command("CLIENT KILL TYPE pubsub SKIPME yes");
      shell.command("CLIENT KILL TYPE normal SKIPME yes");
    }
  },
  /** All connections break on their way. */
  CONNECTIONS_CUT {
    @Override
    void inflict(Victim victim) {
      victim.door().slam();
      victim.door().open();
    }
  },
  /** A connection breaks in the place of an answer. */
  ANSWER_LOST {
    @Override
    void inflict(Victim victim) {
      cut(victim, victim.door().eatNext());
    }
  },
  /** A connection breaks in the middle of an answer. */
  ANSWER_TORN {
    @Override
    void inflict(Victim victim) {
      cut(victim, victim.door().biteNext());
    }
  },
  /** The server ends in order and is started again. */
  SERVER_STOPPED {
    @Override
    void inflict(Victim victim) {
      victim.redis().stop();
      victim.redis().ensure();
    }
  },
  /** The server hangs until the clients count it as away. */
  SERVER_PAUSED {
    @Override
    void inflict(Victim victim) {
      victim.redis().pause();
      try {
        await("silence is told").atMost(PATIENCE).until(() -> !victim.available().get());
      } finally {
        victim.redis().resume();
      }
      await("the end of it is told").atMost(PATIENCE).until(() -> victim.available().get());
    }
  },
  /** The server is killed and started again from its append-only file. */
  SERVER_KILLED {
    @Override
    void inflict(Victim victim) {
      victim.redis().kill();
      victim.redis().ensure();
    }
  };

  static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Those after which the server is the same process as before, or ended in order. */
  static final List<Fault> GENTLE =
      List.of(
          CONNECTIONS_KILLED,
          CONNECTIONS_CUT,
          ANSWER_LOST,
          ANSWER_TORN,
          SERVER_STOPPED,
          SERVER_PAUSED);

  /** Returns when it is over; clients need not have noticed. */
  abstract void inflict(Victim victim);

  private static void cut(Victim victim, CountDownLatch cut) {
    try {
      assertThat(cut.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("an answer came").isTrue();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } finally {
      victim.door().open();
    }
  }
}
