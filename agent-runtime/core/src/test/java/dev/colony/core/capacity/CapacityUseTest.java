package dev.colony.core.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.core.capacity.CapacitySettings.NodeCapacity;
import dev.colony.core.capacity.CapacitySettings.Shares;
import dev.colony.core.capacity.CapacityUse.ResourceExhausted;
import dev.colony.core.capacity.CapacityUse.ResourceExhausted.Resource;
import dev.colony.core.capacity.SlotScheduler.SlotRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class CapacityUseTest {

  private final CapacityUse room =
      new CapacityUse(new NodeCapacity(4, 85, 100), new Shares(Map.of("rich", 2), 1));

  private static SlotRequest tokens(String tenant, long tokens) {
    return Requests.of(tenant, "a", 50, tokens, Requests.START);
  }

  @Test
  void saysWhatIsShort() {
    room.take(tokens("acme", 70));
    assertThat(room.missing(tokens("acme", 30))).isEmpty();
    assertThat(room.missing(tokens("acme", 31)))
        .contains(new ResourceExhausted(Resource.KV_TOKENS, 31, 30));
    assertThat(room.full()).as("another that asks for less fits").isFalse();
    for (int i = 0; i < 3; i++) {
      room.take(tokens("acme", 0));
    }
    assertThat(room.missing(tokens("acme", 0)))
        .contains(new ResourceExhausted(Resource.AGENTS, 1, 0));
    assertThat(room.full()).isTrue();
    room.giveBack(tokens("acme", 0));
    room.heap(85);
    assertThat(room.missing(tokens("acme", 0)))
        .contains(new ResourceExhausted(Resource.HEAP, 1, 0));
    assertThat(room.full()).isTrue();
    room.heap(84);
    assertThat(room.missing(tokens("acme", 0))).isEmpty();
    assertThat(room.full()).isFalse();
  }

  @Test
  void hasRoomForOneWhateverItsHeapAndHoweverMuchItWants() {
    room.heap(100);
    assertThat(room.full()).isFalse();
    assertThat(room.missing(tokens("acme", 1_000_000))).isEmpty();
    room.take(tokens("acme", 1_000_000));
    assertThat(room.freeTokens()).isZero();
    room.giveBack(tokens("acme", 1_000_000));
    assertThat(room.freeTokens()).isEqualTo(100);
  }

  @Test
  void whatATenantUsesIsWhatItUsesMostOfInPartsOfItsShare() {
    room.take(tokens("acme", 10));
    assertThat(room.use("acme")).isEqualTo(0.25);
    room.take(tokens("rich", 80));
    assertThat(room.use("rich")).isEqualTo(0.4);
    assertThat(room.use("nobody")).isZero();
  }

  @Property(tries = 100)
  void whatIsTakenAndGivenBackIsAsBefore(@ForAll long seed) {
    Random random = new Random(seed);
    CapacityUse any = new CapacityUse(new NodeCapacity(20, 85, 1_000), Shares.EQUAL);
    List<SlotRequest> held = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      SlotRequest request = tokens("t" + random.nextInt(3), random.nextInt(300));
      if (any.missing(request).isEmpty()) {
        any.take(request);
        held.add(request);
      } else if (!held.isEmpty()) {
        any.giveBack(held.remove(random.nextInt(held.size())));
      }
      assertThat(any.taken()).isEqualTo(held.size()).isLessThanOrEqualTo(20);
      assertThat(held.stream().mapToLong(SlotRequest::tokens).sum())
          .isEqualTo(1_000 - any.freeTokens());
    }
    held.forEach(any::giveBack);
    assertThat(any.atWork()).isEmpty();
    assertThat(any.free()).isEqualTo(20);
  }
}
