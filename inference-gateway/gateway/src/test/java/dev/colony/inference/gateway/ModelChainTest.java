package dev.colony.inference.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.gateway.ModelClients.ModelChain;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelChainTest {

  /** All kinds of failures: what is at fault with the request or its key is not hidden. */
  @ParameterizedTest
  @CsvSource({
    "UNREACHABLE, true",
    "SERVER_ERROR, true",
    "OVERLOADED, true",
    "REJECTED, false",
    "EVICTED, false",
    "QUOTA, true",
    "OUT_OF_BUDGET, false",
    "SUSPENDED, false",
    "REFUSED, false",
    "TOO_LONG, true",
    "TIMEOUT, true",
    "BROKEN_OFF, true",
    "BAD_REPLY, false",
  })
  void whatAnotherModelIsAskedAfter(Kind kind, boolean falls) {
    assertThat(ModelChain.fallsBack(kind)).isEqualTo(falls);
  }

  @ParameterizedTest
  @CsvSource({
    "'', a, false",
    "a, a, false",
    "b, b, true",
    "c, c, true",
    "'b c', b, true",
    "'a c', a, false",
  })
  void theFirstThatIsAvailableIsAsked(String available, String asked, boolean moved) {
    ModelChain chain = new ModelChain(List.of("a", "b", "c"));
    assertThat(chain.skip(Set.of(available.split(" "))::contains)).isEqualTo(moved);
    assertThat(chain.model()).isEqualTo(asked);
  }

  @Test
  void noneIsAskedThatWasAskedBefore() {
    ModelChain chain = new ModelChain(List.of("a", "b", "c"));
    InferenceException full = failure(Kind.OVERLOADED);
    chain.failed(failure(Kind.SERVER_ERROR));
    chain.failed(full);
    assertThat(chain.next()).isTrue();
    assertThat(chain.skip("a"::equals)).isFalse();
    assertThat(chain.model()).isEqualTo("b");
    chain.failed(failure(Kind.TIMEOUT));
    assertThat(chain.next()).isTrue();
    assertThat(chain.last()).isTrue();
    assertThat(chain.next()).isFalse();
    assertThat(chain.model()).isEqualTo("c");
    assertThat(chain.first()).isEqualTo("a");
    assertThat(chain.why()).as("of the first").containsSame(full);
  }

  private static InferenceException failure(Kind kind) {
    return new InferenceException(kind, "no", null);
  }
}
