package dev.colony.client.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TogetherTest {

  private final List<List<String>> begun = new ArrayList<>();
  private final List<CompletableFuture<Void>> underWay = new ArrayList<>();
  private final Together<String, String> together =
      new Together<>(
          3,
          some -> {
            begun.add(some);
            CompletableFuture<Void> one = new CompletableFuture<>();
            underWay.add(one);
            return one;
          });

  private CompletableFuture<Void> add(String key, String what) {
    return together.add(key, what).toCompletableFuture();
  }

  @Test
  void whatComesMeanwhileGoesTogetherInItsOrderAndNoMoreThanMay() {
    CompletableFuture<Void> first = add("k", "a");
    List<CompletableFuture<Void>> rest =
        IntStream.range(0, 4).mapToObj(i -> add("k", "b" + i)).toList();
    add("other", "c");
    assertThat(begun).containsExactly(List.of("a"), List.of("c"));
    underWay.get(0).complete(null);
    assertThat(first).isCompleted();
    assertThat(begun.get(2)).containsExactly("b0", "b1", "b2");
    assertThat(rest).noneMatch(CompletableFuture::isDone);
    underWay.get(2).complete(null);
    assertThat(rest.subList(0, 3)).allMatch(CompletableFuture::isDone);
    assertThat(begun.get(3)).containsExactly("b3");
    underWay.get(3).complete(null);
    assertThat(rest.get(3)).isCompleted();
    add("k", "d");
    assertThat(begun.get(4)).containsExactly("d");
  }

  @Test
  void aFailureIsThatOfThoseThatItHoldsAndTheOthersGoOn() {
    CompletableFuture<Void> first = add("k", "a");
    CompletableFuture<Void> second = add("k", "b");
    underWay.get(0).completeExceptionally(new IllegalStateException("it fails"));
    assertThat(first).isCompletedExceptionally();
    assertThat(second).isNotDone();
    underWay.get(1).complete(null);
    assertThat(second).isCompleted();
  }

  @Test
  void oneThatIsRefusedAtOnceIsAFailureToo() {
    Together<String, String> refusing =
        new Together<>(
            3,
            some -> {
              throw new IllegalStateException("it is refused");
            });
    CompletionStage<Void> refused = refusing.add("k", "a");
    assertThat(refused.toCompletableFuture()).isCompletedExceptionally();
    assertThat(refusing.add("k", "b").toCompletableFuture()).isCompletedExceptionally();
  }
}
