package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.colony.blackboard.clock.ClusterClock.ClockSkew;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a node makes of clocks that are wrong. */
class ClockWatchTest {

  private final Logger logger = (Logger) LoggerFactory.getLogger(ClockWatch.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final ClockWatch watch = new ClockWatch();

  @BeforeEach
  void listen() {
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(log);
  }

  @Test
  void oneLineWhenAClockIsWrongAndOneWhenItIsRightAgain() {
    watch.measured(skew(900, -900));
    assertThat(lines()).isEmpty();
    watch.measured(skew(1_100, 0));
    watch.measured(skew(3_600_000, 0));
    watch.measured(skew(900, 0));
    watch.measured(skew(400, -2_000));
    watch.measured(skew(0, -100));
    assertThat(lines())
        .containsExactly(
            "this machine's clock is +1.1 s off the cluster time; logs and certificates go by it:"
                + " set it right",
            "this machine's clock is right again, +0.4 s off the cluster time",
            "the clock of Redis is -2.0 s off the cluster time; cluster time follows it, by 5 % of"
                + " what goes by at most: set it right",
            "the clock of Redis is right again, -0.1 s off the cluster time");
  }

  @Test
  void aNodeIsNotReadyWhileItsOwnClockIsFarOff() {
    watch.measured(skew(300_000, 7_200_000));
    assertThat(watch.unfit()).isEmpty();
    watch.measured(skew(-300_100, 0));
    assertThat(watch.unfit().orElseThrow())
        .isEqualTo(
            "this machine's clock is -300.1 s off the cluster time, more than 300 s: set it"
                + " right");
    watch.measured(skew(0, 0));
    assertThat(watch.unfit()).isEmpty();
  }

  private static ClockSkew skew(long nodeMillis, long storeMillis) {
    return new ClockSkew(Duration.ofMillis(nodeMillis), Duration.ofMillis(storeMillis));
  }

  private List<String> lines() {
    return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }
}
