package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.redis.ScopeCalls.Lanes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LanesTest {

  private final Lanes lanes = new Lanes();

  @Test
  void callsOneAfterTheOtherShareALane() {
    for (int number = 1; number <= 1_000; number++) {
      Lanes.Call call = lanes.begin();
      assertThat(call).isEqualTo(new Lanes.Call(0, number));
      lanes.end(call);
    }
  }

  @Test
  void thereAreNoMoreLanesThanCallsWereUnderWayAtOnce() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    List<Lanes.Call> underWay = new ArrayList<>();
    int most = 0;
    long last = 0;
    for (int step = 0; step < 20_000; step++) {
      if (underWay.isEmpty() || random.nextInt(100) < 50) {
        Lanes.Call call = lanes.begin();
        assertThat(call.number()).isGreaterThan(last);
        last = call.number();
        assertThat(underWay).extracting(Lanes.Call::lane).doesNotContain(call.lane());
        underWay.add(call);
        most = Math.max(most, underWay.size());
        assertThat(call.lane()).isLessThan(most);
      } else {
        lanes.end(underWay.remove(random.nextInt(underWay.size())));
      }
    }
  }

  @Test
  void processesHaveNamesOfTheirOwn() {
    assertThat(new Lanes().process()).isNotEqualTo(lanes.process());
  }
}
