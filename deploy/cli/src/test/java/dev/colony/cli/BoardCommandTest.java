package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The board commands against a real Redis, as a person types them. */
class BoardCommandTest {

  private static BoardRig rig;

  private final String scope = BoardRig.scope().path();

  @BeforeAll
  static void start() {
    rig = new BoardRig();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @Test
  void whatIsPutCanBeGotAndIsInTheHistory() {
    JsonNode first = done("put", scope, "finding:42", "{\"a\":1}", "--tag", "x", "--json").json();
    assertThat(first.path("version").asLong()).isEqualTo(1);
    assertThat(done("put", scope, "finding:42", "[2]", "--writer", "lead").out())
        .startsWith("version 2 at ");

    JsonNode entry = done("get", scope, "finding:42", "--json").json();
    assertThat(entry.path("value").toString()).isEqualTo("[2]");
    assertThat(entry.path("version").asLong()).isEqualTo(2);
    assertThat(entry.path("createdBy").asText()).isEqualTo("cli");
    assertThat(entry.path("updatedBy").asText()).isEqualTo("lead");
    assertThat(entry.path("tags")).isEmpty();
    assertThat(entry.path("key").asText()).isEqualTo("finding:42");
    assertThat(entry.has("expiresAt")).isFalse();
    assertThat(done("get", scope, "finding:42").out())
        .contains("finding:42", "version   2 at ", "by lead", "value     [2]");

    assertThat(done("delete", scope, "finding:42").out()).isEqualTo("deleted\n");
    JsonNode events = done("history", scope, "--json").json().path("events");
    assertThat(texts(events, "type")).containsExactly("written", "written", "deleted");
    assertThat(events.path(0).path("position")).isEqualTo(first.path("position"));
    assertThat(events.path(0).path("value").toString()).isEqualTo("{\"a\":1}");
    assertThat(events.path(0).path("tags").path(0).asText()).isEqualTo("x");
    assertThat(events.path(2).path("oldVersion").asLong()).isEqualTo(2);
    assertThat(events.path(2).path("version").asLong()).isZero();
    assertThat(events.path(2).path("evicted").asBoolean(true)).isFalse();
    assertThat(done("history", scope).out().lines())
        .hasSize(3)
        .last()
        .asString()
        .contains("deleted  finding:42  v2 by cli");
  }

  @Test
  void anEntryThatIsNotThere() {
    Rig.assertOneLine(rig.board("get", scope, "nothing"), 1, "no entry nothing in " + scope);
    Rig.assertOneLine(rig.board("delete", scope, "nothing"), 1, "no entry nothing");
    assertThat(done("get", scope).out()).isEqualTo("no entries\n");
    assertThat(done("history", scope).out()).isEqualTo("no events\n");
    assertThat(done("get", scope, "--json").json().path("entries").isArray()).isTrue();
  }

  @Test
  void anotherVersionThanExpectedWritesNothingAndSaysWhich() {
    done("put", scope, "k", "1");
    done("put", scope, "k", "2", "--expect", "1");
    Rig.assertOneLine(rig.board("put", scope, "k", "3", "--expect", "1"), 1, "k has version 2");
    Rig.assertOneLine(rig.board("put", scope, "k", "3", "--if-absent"), 1, "k has version 2");
    Rig.assertOneLine(rig.board("put", scope, "other", "3", "--expect", "7"), 1, "other is absent");

    Finished conflict = rig.board("put", scope, "k", "3", "--expect", "1", "--json");
    assertThat(conflict.status()).isEqualTo(1);
    assertThat(conflict.json().path("actualVersion").asLong()).isEqualTo(2);

    assertThat(done("get", scope, "k", "--json").json().path("value").asInt()).isEqualTo(2);
    assertThat(done("put", scope, "new", "1", "--if-absent").out()).startsWith("version 1 at ");
  }

  @Test
  void valuesFromTheCommandLineAndFromStandardInput() {
    done("put", scope, "text", "no json", "--text");
    assertThat(value("text").textValue()).isEqualTo("no json");

    assertThat(rig.boardWithInput("{\"from\":\"stdin\"}\n", "put", scope, "json", "-").status())
        .isZero();
    assertThat(value("json").path("from").asText()).isEqualTo("stdin");

    assertThat(rig.boardWithInput("a line\n", "put", scope, "line", "-", "--text").status())
        .isZero();
    assertThat(value("line").textValue()).isEqualTo("a line\n");

    done("put", scope, "negative", "-5");
    assertThat(value("negative").asInt()).isEqualTo(-5);
    done("put", "--text", "--", scope, "dashes", "--json");
    assertThat(value("dashes").textValue()).isEqualTo("--json");
  }

  @Test
  void queriesByGlobAndTagsPageByPage() {
    for (int i = 0; i < 7; i++) {
      String[] tags = i % 2 == 0 ? new String[] {"--tag", "even"} : new String[0];
      List<String> line = new ArrayList<>(List.of("put", scope, "finding:" + i, "" + i));
      line.addAll(List.of(tags));
      done(line.toArray(String[]::new));
    }
    done("put", scope, "note", "1", "--tag", "even", "--tag", "urgent");

    assertThat(keys(done("get", scope, "--keys", "finding:?", "--json")))
        .hasSize(7)
        .isSorted()
        .doesNotContain("note");
    assertThat(keys(done("get", scope, "--tag", "even", "--json")))
        .containsExactly("finding:0", "finding:2", "finding:4", "finding:6", "note");
    assertThat(keys(done("get", scope, "--tag", "even", "--tag", "urgent", "--json")))
        .containsExactly("note");

    List<String> paged = new ArrayList<>();
    JsonNode page = done("get", scope, "--limit", "3", "--json").json();
    paged.addAll(texts(page.path("entries"), "key"));
    while (page.has("next") && paged.size() < 100) {
      assertThat(page.path("entries")).hasSize(3);
      page =
          done("get", scope, "--limit", "3", "--cursor", page.path("next").asText(), "--json")
              .json();
      paged.addAll(texts(page.path("entries"), "key"));
    }
    assertThat(paged).hasSize(8).isSorted().doesNotHaveDuplicates();

    assertThat(done("get", scope, "--limit", "3").out().lines())
        .hasSize(4)
        .last()
        .asString()
        .contains("--cursor \"finding:2\"");
  }

  @Test
  void historyOfAKeyAndPageByPage() {
    for (int i = 1; i <= 5; i++) {
      done("put", scope, i % 2 == 0 ? "even" : "odd", "" + i);
    }
    JsonNode ofOne = done("history", scope, "odd", "--json").json().path("events");
    assertThat(texts(ofOne, "key")).containsExactly("odd", "odd", "odd");

    List<String> paged = new ArrayList<>();
    JsonNode page = done("history", scope, "--limit", "2", "--json").json();
    paged.addAll(texts(page.path("events"), "position"));
    while (page.has("next") && paged.size() < 100) {
      page =
          done("history", scope, "--limit", "2", "--after", page.path("next").asText(), "--json")
              .json();
      paged.addAll(texts(page.path("events"), "position"));
    }
    assertThat(paged)
        .containsExactlyElementsOf(
            texts(done("history", scope, "--json").json().path("events"), "position"))
        .hasSize(5);
  }

  @Test
  void scopesWithWhatTheyHold() {
    String tenant = "t-" + scope.substring(scope.length() - 12);
    for (String path : List.of("tenant:" + tenant, "tenant:" + tenant + ":colony:b")) {
      done("put", path, "k", "1");
      done("put", path, "k", "2");
    }
    JsonNode listed = done("list", "--tenant", tenant, "--json").json();
    assertThat(texts(listed.path("scopes"), "scope"))
        .containsExactly("tenant:" + tenant, "tenant:" + tenant + ":colony:b");
    JsonNode first = listed.path("scopes").path(0);
    assertThat(first.path("entries").asLong()).isEqualTo(1);
    assertThat(first.path("events").asLong()).isEqualTo(2);
    assertThat(first.path("newest").asText()).matches("\\d+-2");
    assertThat(first.path("subscriptions").isObject()).isTrue();
    assertThat(listed.has("next")).isFalse();

    JsonNode page = done("list", "--tenant", tenant, "--limit", "1", "--json").json();
    assertThat(texts(page.path("scopes"), "scope")).containsExactly("tenant:" + tenant);
    String next = page.path("next").asText();
    assertThat(
            texts(
                done("list", "--tenant", tenant, "--after", next, "--json").json().path("scopes"),
                "scope"))
        .containsExactly("tenant:" + tenant + ":colony:b");

    assertThat(done("list", "--tenant", tenant).out())
        .contains("scope", "entries", "tenant:" + tenant + ":colony:b");
    assertThat(done("list", "--tenant", "t-absent").out()).isEqualTo("no scopes\n");
  }

  @Test
  void aLongValueIsCutForPeopleAndWholeInJson() {
    String text = "long ".repeat(5_000);
    done("put", scope, "long", text, "--text");
    assertThat(value("long").textValue()).isEqualTo(text);
    assertThat(done("get", scope, "long").out().length()).isLessThan(4_000);
    assertThat(done("get", scope, "long").out()).contains("--json prints them all");
    assertThat(done("get", scope).out().length()).isLessThan(400);
    assertThat(done("history", scope).out().length()).isLessThan(400);
    assertThat(done("history", scope, "--json").out()).contains(text);
  }

  @Test
  void nothingThatAnAgentWroteActsOnTheTerminal() {
    String evil = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\r\n\u0000";
    done("put", scope, "evil\u202ekey", evil, "--text", "--tag", "t\u202eg", "--writer", evil);
    for (String[] line :
        new String[][] {
          {"get", scope, "evil\u202ekey"},
          {"get", scope, "evil\u202ekey", "--json"},
          {"get", scope},
          {"get", scope, "--json"},
          {"history", scope},
          {"history", scope, "--json"}
        }) {
      String out = done(line).out();
      assertThat(out.replace("\n", "")).doesNotContainPattern("[\\p{Cc}\\p{Cf}]");
      assertThat(out).containsIgnoringCase("\\u001b");
    }
    assertThat(value("evil\u202ekey").textValue()).isEqualTo(evil);
    Finished absent = rig.board("get", scope, "no\u202ekey");
    assertThat(absent.err().strip()).doesNotContainPattern("[\\p{Cc}\\p{Cf}]");
  }

  @Test
  void anEntryThatExpires() {
    done("put", scope, "k", "1", "--ttl", "2h");
    JsonNode entry = done("get", scope, "k", "--json").json();
    assertThat(Instant.parse(entry.path("expiresAt").asText()))
        .isEqualTo(Instant.parse(entry.path("updatedAt").asText()).plus(Duration.ofHours(2)));
    assertThat(done("get", scope, "k").out()).contains("expires");
  }

  @Test
  void clearingMustBeMeant() {
    done("put", scope, "a", "1");
    done("put", scope, "b", "1");
    Rig.assertOneLine(rig.board("clear", scope), 2, "--yes");
    assertThat(done("clear", scope, "--yes").out()).isEqualTo("2 entries deleted\n");
    assertThat(done("get", scope).out()).isEqualTo("no entries\n");
    assertThat(done("history", scope, "--after", "0-2").out()).contains("cleared  2 entries");
  }

  @Test
  void aRedisThatIsNamed() {
    String other = rig.redis().uri();
    done("put", scope, "k", "1");
    assertThat(done("get", scope, "k", "--redis-url", other, "--json").json().path("value").asInt())
        .isEqualTo(1);
  }

  private static Finished done(String... arguments) {
    Finished finished = rig.board(arguments);
    assertThat(finished.status()).as(finished.err()).isZero();
    assertThat(finished.err()).isEmpty();
    return finished;
  }

  private JsonNode value(String key) {
    return done("get", scope, key, "--json").json().path("value");
  }

  private static List<String> keys(Finished got) {
    return texts(got.json().path("entries"), "key");
  }

  private static List<String> texts(JsonNode all, String field) {
    List<String> texts = new ArrayList<>();
    all.forEach(one -> texts.add(one.path(field).asText()));
    return texts;
  }
}
