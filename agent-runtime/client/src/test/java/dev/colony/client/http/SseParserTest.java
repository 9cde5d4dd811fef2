package dev.colony.client.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.client.http.SseParser.SseEvent;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Server-sent events are read as WHATWG's "Server-sent events" says, however the bytes are cut. */
class SseParserTest {

  /** An event, and the lines that say it. */
  record Said(SseEvent event, List<String> lines) {}

  @Provide
  Arbitrary<List<Said>> streams() {
    Arbitrary<String> text =
        Arbitraries.strings()
            .withChars("abc :{}\"\u00e9\u4e2d")
            .withChars('\u2028')
            .ofMaxLength(12);
    Arbitrary<String> noise =
        Arbitraries.of("", ": heartbeat", "retry: 5000", "unheard-of: x", "nothing");
    return Combinators.combine(
            text.list().ofMinSize(1).ofMaxSize(3),
            Arbitraries.of("progress", "end", "problem"),
            Arbitraries.strings().numeric().ofMinLength(1).ofMaxLength(6),
            noise)
        .as(SseParserTest::said)
        .list()
        .ofMaxSize(5);
  }

  private static Said said(List<String> data, String name, String id, String noise) {
    List<String> lines = new ArrayList<>(List.of("id: " + id, "event: " + name));
    if (!noise.isEmpty()) {
      lines.add(noise);
    }
    data.forEach(line -> lines.add("data: " + line));
    lines.add("");
    return new Said(new SseEvent(id, name, String.join("\n", data)), lines);
  }

  @Property
  void howeverTheBytesAreCut(
      @ForAll("streams") List<Said> stream,
      @ForAll("cuts") List<Integer> cuts,
      @ForAll("ends") String end) {
    byte[] bytes =
        stream.stream()
            .flatMap(said -> said.lines().stream())
            .map(line -> line + end)
            .collect(Collectors.joining())
            .getBytes(StandardCharsets.UTF_8);
    List<SseEvent> events = stream.stream().map(Said::event).toList();
    assertThat(parsed(bytes, cuts)).isEqualTo(events);
    assertThat(parsed(bytes, List.of(1))).isEqualTo(events);
  }

  @Provide
  Arbitrary<List<Integer>> cuts() {
    return Arbitraries.integers().between(1, 40).list().ofMinSize(1).ofMaxSize(10);
  }

  @Provide
  Arbitrary<String> ends() {
    return Arbitraries.of("\n", "\r", "\r\n");
  }

  /**
   * @param cuts the sizes of the pieces, over and over
   */
  private static List<SseEvent> parsed(byte[] bytes, List<Integer> cuts) {
    SseParser parser = new SseParser(10_000);
    List<SseEvent> events = new ArrayList<>();
    int from = 0;
    for (int i = 0; from < bytes.length; i++) {
      int to = Math.min(bytes.length, from + cuts.get(i % cuts.size()));
      events.addAll(parser.feed(ByteBuffer.wrap(Arrays.copyOfRange(bytes, from, to))));
      from = to;
    }
    return events;
  }

  private static List<SseEvent> parsed(String text) {
    return parsed(text.getBytes(StandardCharsets.UTF_8), List.of(7));
  }

  @Example
  void theCasesOfTheStandard() {
    assertThat(parsed("data: YHOO\ndata: +2\ndata: 10\n\n"))
        .containsExactly(new SseEvent("", "message", "YHOO\n+2\n10"));
    assertThat(
            parsed(
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\n"
                    + "data:  third event"))
        .as("an id that is empty is reset; what is not ended by an empty line is no event")
        .containsExactly(
            new SseEvent("1", "message", "first event"),
            new SseEvent("", "message", "second event"));
    assertThat(parsed("data\n\ndata\ndata\n\ndata:"))
        .containsExactly(new SseEvent("", "message", ""), new SseEvent("", "message", "\n"));
    assertThat(parsed("data:test\n\ndata: test\n\n"))
        .containsExactly(new SseEvent("", "message", "test"), new SseEvent("", "message", "test"));
    assertThat(parsed("\uFEFFdata: x\n\n")).containsExactly(new SseEvent("", "message", "x"));
    assertThat(parsed("event: end\n\ndata: x\n\n"))
        .as("an event without data is none, and its name is forgotten")
        .containsExactly(new SseEvent("", "message", "x"));
    assertThat(parsed("id: 1\ndata: x\n\nid: a\0b\ndata: y\n\n"))
        .as("an id with a null is passed over")
        .containsExactly(new SseEvent("1", "message", "x"), new SseEvent("1", "message", "y"));
  }

  @Example
  void anEventWithoutEndIsRefused() {
    SseParser parser = new SseParser(100);
    ByteBuffer endless = ByteBuffer.wrap("data: aaaaaaaaaaaaa\n".repeat(20).getBytes());
    assertThatThrownBy(() -> parser.feed(endless))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("more than 100 bytes");
  }
}
