package dev.colony.inference.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.PromptPage;
import dev.colony.inference.routing.RoutePicker.Candidate;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RoutePickerTest {

  @ParameterizedTest(name = "{0}")
  @MethodSource("table")
  void picks(String shape, List<Candidate> candidates, String expected) {
    assertThat(RoutePicker.pick(candidates).map(c -> c.replica().id()).orElse("none"))
        .isEqualTo(expected);
    assertThat(RoutePicker.pick(candidates.reversed()).map(c -> c.replica().id()).orElse("none"))
        .isEqualTo(expected);
  }

  static Stream<Arguments> table() {
    return Stream.of(
        row("none known", "none"),
        row("all pages win over the own node", "a", c("a").all(10), c("b").own()),
        row("all pages win over more tokens", "a", c("a").all(10), c("b").tokens(90)),
        row("most resident tokens", "b", c("a").tokens(10), c("b").tokens(20), c("c").own()),
        row("a tie goes to the own node", "b", c("a").all(10), c("b").all(10).own()),
        row("nothing resident: the own node", "b", c("a"), c("b").own().calls(9)),
        row("then the fewest calls", "b", c("a").calls(2), c("b").calls(1)),
        row("then the id", "a", c("b"), c("a")),
        row("a full replica is out", "b", c("a").all(10).full(), c("b")),
        row("all full", "none", c("a").full(), c("b").full()),
        row("one that failed comes last", "b", c("a").all(10).failed(1), c("b")),
        row("the one that failed least", "a", c("a").failed(1), c("b").all(10).failed(2)),
        row("failed is better than full", "a", c("a").failed(3), c("b").all(10).full()));
  }

  @Test
  void aCandidateCountsTheResidentTokensOfItsPages() {
    List<PromptPage> pages =
        List.of(
            new PromptPage("p", "", 10), new PromptPage("q", "", 5), new PromptPage("r", "", 1));
    Map<String, Set<String>> holders = Map.of("p", Set.of("a", "b"), "q", Set.of("a"));
    ResidencyView view = page -> holders.getOrDefault(page, Set.of());
    Replica a = new Replica("a", URI.create("http://a"), "n1");

    Candidate some = Candidate.of(a, pages, view, "n1", 3, false, 0);
    assertThat(some).isEqualTo(new Candidate(a, false, 15, true, 3, false, 0));
    Candidate all = Candidate.of(a, pages.subList(0, 2), view, "n2", 0, true, 1);
    assertThat(all).isEqualTo(new Candidate(a, true, 15, false, 0, true, 1));
  }

  private static Arguments row(String shape, String expected, Shape... shapes) {
    return Arguments.of(shape, Stream.of(shapes).map(Shape::candidate).toList(), expected);
  }

  private static Shape c(String id) {
    return new Shape(
        new Candidate(
            new Replica(id, URI.create("http://" + id), "n"), false, 0, false, 0, false, 0));
  }

  private record Shape(Candidate candidate) {
    Shape all(long tokens) {
      return with(true, tokens, candidate.own(), candidate.calls(), candidate.full(), 0);
    }

    Shape tokens(long tokens) {
      return with(false, tokens, candidate.own(), candidate.calls(), candidate.full(), 0);
    }

    Shape own() {
      return with(
          candidate.allResident(), candidate.residentTokens(), true, candidate.calls(), false, 0);
    }

    Shape calls(int calls) {
      return with(
          candidate.allResident(), candidate.residentTokens(), candidate.own(), calls, false, 0);
    }

    Shape full() {
      return with(candidate.allResident(), candidate.residentTokens(), candidate.own(), 0, true, 0);
    }

    Shape failed(int failures) {
      return with(
          candidate.allResident(),
          candidate.residentTokens(),
          candidate.own(),
          candidate.calls(),
          false,
          failures);
    }

    private Shape with(boolean all, long tokens, boolean own, int calls, boolean full, int fails) {
      return new Shape(new Candidate(candidate.replica(), all, tokens, own, calls, full, fails));
    }
  }
}
