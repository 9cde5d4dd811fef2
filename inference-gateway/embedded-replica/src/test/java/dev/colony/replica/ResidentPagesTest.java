package dev.colony.replica;

import static dev.colony.replica.Prompts.page;
import static dev.colony.replica.Prompts.prompt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A replica tells who follows it which pages its cache holds. */
class ResidentPagesTest {

  private final List<Map<String, Integer>> told = new CopyOnWriteArrayList<>();
  private EmbeddedReplica replica;
  private HttpDriver http;

  @BeforeEach
  void start() {
    // Room for two of the pages below, of about 300 tokens each.
    replica =
        Replicas.start(
            Replicas.following(Duration.ZERO), "capacity-blocks = 48", "context-tokens = 700");
    http = new HttpDriver(replica.uri());
    replica.follow(told::add);
    await().until(() -> told.size() == 1);
  }

  @AfterEach
  void stop() {
    http.close();
    replica.close();
  }

  @Test
  void pagesComeAndGoWithTheirBlocks() {
    assertThat(told.getFirst()).isEmpty();
    ask("a");
    ask("b");
    becomes("a", "b");
    ask("a");
    ask("c");
    becomes("a", "c");
    assertThat(replica.residentPages().keySet()).containsExactly("a", "c");
  }

  @Test
  void eachIsToldWithItsSize() {
    ask("a");
    becomes("a");
    assertThat(told.getLast().get("a")).isBetween(200, 400);
  }

  @Test
  void anUnchangedCacheIsNotToldAgain() {
    ask("a");
    becomes("a");
    ask("a");
    ask("b");
    becomes("a", "b");
    assertThat(told).hasSize(3);
  }

  @Test
  void aFollowerThatFailsHearsOfTheNextChange() {
    List<Map<String, Integer>> heard = new CopyOnWriteArrayList<>();
    replica.follow(pages -> {
      heard.add(pages);
      throw new IllegalStateException("on purpose");
    });
    await().until(() -> heard.size() == 1);
    ask("a");
    await().until(() -> heard.size() == 2);
  }

  private void becomes(String... pages) {
    await().untilAsserted(() -> assertThat(told.getLast()).containsOnlyKeys(pages));
  }

  private void ask(String page) {
    HttpResponse<String> response =
        http.chat(
            prompt("Question: what is " + page + "1?", page(page, 40)).toString(),
            "X-Colony-Pages",
            page);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
  }
}
