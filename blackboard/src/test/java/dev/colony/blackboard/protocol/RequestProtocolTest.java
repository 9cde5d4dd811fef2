package dev.colony.blackboard.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestProtocolTest {

  private static final class OfOnesOwn extends RequestProtocol {
    OfOnesOwn(String request, String result, String event) {
      super(request, result, event);
    }
  }

  @Test
  void aProtocolOfOnesOwnIsItsThreeTemplates() {
    RequestProtocol reviews = new OfOnesOwn("ask:{agent}:{id}", "verdict:{id}", "note:{id}:{name}");
    assertThat(reviews.requestKey("lead", "1")).isEqualTo("ask:lead:1");
    assertThat(reviews.resultId("verdict:1")).contains("1");
    assertThat(reviews.inputPatterns("lead").getFirst().matches("ask:lead:1")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "ask, answer:{id}, note:{id}:{name}",
    "ask:{agent}, answer:{id}, note:{id}:{name}",
    "ask:{id}:{colour}, answer:{id}, note:{id}:{name}",
    "ask:{id}, answer, note:{id}:{name}",
    "ask:{id}, answer:{agent}:{id}, note:{id}:{name}",
    "ask:{id}, answer:{id}, note:{id}",
    "ask:{id}, answer:{id}, note:{name}"
  })
  void missingAndUnknownPartsAreRefused(String request, String result, String event) {
    assertThatThrownBy(() -> new OfOnesOwn(request, result, event))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must have the parts");
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        AgentRunProtocol.class,
        WorkAssignmentProtocol.class,
        LifecycleSignalProtocol.class
      })
  void everyStockProtocolCanBeMadeFromItsClass(Class<? extends Protocol> type) throws Exception {
    assertThat(type.getConstructor().newInstance().inputPatterns("reviewer")).isNotEmpty();
  }

  @Test
  void stockProtocolsDoNotHearEachOther() {
    List<Protocol> all =
        List.of(
            new AgentRunProtocol(), new WorkAssignmentProtocol(), new LifecycleSignalProtocol());
    List<String> keys = List.of("request:run:1", "request:work:a:1", "signal:agent:a:stop");
    for (int i = 0; i < all.size(); i++) {
      for (int j = 0; j < keys.size(); j++) {
        String key = keys.get(j);
        assertThat(all.get(i).inputPatterns("a").stream().anyMatch(glob -> glob.matches(key)))
            .isEqualTo(i == j);
      }
    }
  }
}
