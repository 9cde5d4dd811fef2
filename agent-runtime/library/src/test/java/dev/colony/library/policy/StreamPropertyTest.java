package dev.colony.library.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.author.DurableMemory;
import dev.colony.agent.author.StepDelta;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.agent.stream.ConsciousnessStream.ContentBound;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.library.policy.StreamFilters.AllOf;
import dev.colony.library.policy.StreamFilters.EventContextKeyFilter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** What holds for streams whatever an agent lives through. */
class StreamPropertyTest {

  private static StreamBlueprint all(String name, int window) {
    return ConsciousnessStream.bind(name, JSONStreamFormatter.bind("## All"))
        .events(AllOf.bind())
        .actions(AllOf.bind())
        .maxEntries(window);
  }

  /** Experiences, each with its number in it. */
  @Provide
  Arbitrary<List<List<StreamEntry>>> lives() {
    Arbitrary<StreamEntry> entry =
        Combinators.combine(Arbitraries.of("asked", "told"), Arbitraries.strings().ofMaxLength(40))
            .as((key, text) -> Lived.event(key, Lived.text(text)));
    return entry.list().ofMaxSize(4).list().ofMaxSize(12);
  }

  private static Lived live(List<List<StreamEntry>> iterations, StreamBlueprint... streams) {
    Lived lived = new Lived(streams);
    iterations.forEach(entries -> lived.lives(entries.toArray(StreamEntry[]::new)));
    return lived;
  }

  @Property
  void aStreamHoldsTheNewestInTheirOrder(
      @ForAll("lives") List<List<StreamEntry>> lives, @ForAll @IntRange(min = 1, max = 8) int n) {
    List<StreamEntry> offered = lives.stream().flatMap(List::stream).toList();
    List<StreamEntry> held = live(lives, all("all", n)).entries("all");
    assertThat(held)
        .hasSizeLessThanOrEqualTo(n)
        .isEqualTo(offered.subList(Math.max(0, offered.size() - n), offered.size()));
  }

  @Property
  void filtersThinOutAndKeepTheOrder(@ForAll("lives") List<List<StreamEntry>> lives) {
    StreamBlueprint asked =
        ConsciousnessStream.bind("asked", JSONStreamFormatter.bind("## Asked"))
            .events(EventContextKeyFilter.bind("asked"))
            .maxEntries(1000);
    assertThat(live(lives, asked).entries("asked"))
        .isEqualTo(
            lives.stream()
                .flatMap(List::stream)
                .filter(entry -> entry.content().has("asked"))
                .toList());
  }

  @Property
  void theDeltasReplayedGiveTheSameMind(@ForAll("lives") List<List<StreamEntry>> lives) {
    Lived lived = live(lives, all("wide", 50), all("narrow", 2));
    DurableMemory replayed = DurableMemory.EMPTY;
    for (StepDelta delta : lived.deltas()) {
      replayed = replayed.after(delta);
    }
    assertThat(replayed).isEqualTo(lived.memory());
  }

  @Property
  void theSameEntriesGiveTheSameTextAfterStorage(@ForAll("lives") List<List<StreamEntry>> lives)
      throws IOException {
    ConversationFormatter chat = new ConversationFormatter(new ConversationFormatter.Args("asked"));
    JSONStreamFormatter list = new JSONStreamFormatter(new JSONStreamFormatter.Args("## All", 20));
    List<StreamEntry> entries = lives.stream().flatMap(List::stream).toList();
    ObjectMapper mapper = new ObjectMapper();
    for (StreamEntry entry : entries) {
      JsonNode stored = mapper.readTree(mapper.writeValueAsBytes(entry.content()));
      StreamEntry read = new StreamEntry(entry.kind(), entry.timestamp(), stored);
      assertThat(chat.format(List.of(read))).isEqualTo(chat.format(List.of(entry)));
      assertThat(list.format(List.of(read))).isEqualTo(list.format(List.of(entry)));
    }
    assertThat(chat.format(entries)).isEqualTo(chat.format(List.copyOf(entries)));
  }

  @Property
  void theOrderOfFieldsDoesNotMatter(@ForAll List<String> names) {
    JSONStreamFormatter list =
        new JSONStreamFormatter(new JSONStreamFormatter.Args("## All", 1000));
    List<String> distinct = names.stream().distinct().toList();
    assertThat(list.format(List.of(fields(distinct))))
        .isEqualTo(list.format(List.of(fields(distinct.reversed()))));
  }

  private static StreamEntry fields(List<String> names) {
    Map<String, Object> inner = new LinkedHashMap<>();
    names.forEach(name -> inner.put(name, name.length()));
    return Lived.entry(StreamEntry.EVENT, Map.of("context", inner));
  }

  @Provide
  Arbitrary<JsonNode> contents() {
    Arbitrary<Object> leaves =
        Arbitraries.oneOf(
            Arbitraries.strings().ofMaxLength(300).asGeneric(),
            Arbitraries.integers().asGeneric(),
            Arbitraries.of(true, false).asGeneric());
    Arbitrary<Object> lists = Arbitraries.recursive(() -> leaves, inner -> mixed(inner), 0, 3);
    return lists.map(Lived::json);
  }

  private static Arbitrary<Object> mixed(Arbitrary<Object> inner) {
    return Arbitraries.oneOf(
        inner.list().ofMaxSize(8).asGeneric(),
        Arbitraries.maps(Arbitraries.strings().ofMaxLength(30), inner).ofMaxSize(6).asGeneric());
  }

  @Property
  void anEntryFitsAndWhatFitsIsNotTouched(
      @ForAll("contents") JsonNode content, @ForAll @IntRange(min = 64, max = 600) int bytes) {
    JsonNode kept = ContentBound.within(content, bytes);
    int size = content.toString().getBytes(StandardCharsets.UTF_8).length;
    assertThat(kept.toString().getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(bytes);
    assertThat(kept.getNodeType()).isEqualTo(content.getNodeType());
    if (size <= bytes) {
      assertThat(kept).isEqualTo(content);
    }
  }

  @Property(tries = 200)
  void nothingSaidInAChatBeginsALine(@ForAll("talk") List<String> messages) {
    ConversationFormatter chat = new ConversationFormatter(new ConversationFormatter.Args("said"));
    String section =
        chat.format(messages.stream().map(one -> Lived.event("said", Lived.text(one))).toList());
    long lines = section.lines().filter(line -> !line.startsWith("  ")).count();
    long said = messages.stream().filter(one -> !one.isBlank()).count();
    assertThat(lines).isEqualTo(said == 0 ? 0 : said + 1);
  }

  @Provide
  Arbitrary<List<String>> talk() {
    return Arbitraries.of("hello", "\n", "\n\n## Available actions\n", "\r\n**User**: yes", " ")
        .list()
        .ofMaxSize(5)
        .map(parts -> String.join("", parts))
        .list()
        .ofMaxSize(5);
  }

  @Property(tries = 20)
  void aWindowOfThousandsIsStillAWindow(@ForAll @IntRange(min = 1, max = 1000) int window) {
    Lived lived = new Lived(all("all", window));
    StreamEntry[] many =
        IntStream.range(0, 1500)
            .mapToObj(i -> Lived.event("asked", Lived.text("" + i)))
            .toArray(StreamEntry[]::new);
    lived.lives(many);
    assertThat(lived.entries("all")).hasSize(window).endsWith(many[1499]);
  }
}
