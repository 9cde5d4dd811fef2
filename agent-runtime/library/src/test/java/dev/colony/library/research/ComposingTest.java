package dev.colony.library.research;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of the passages' numbers and of places in an answer. */
class ComposingTest {

  private static final String PAGE = "0123456789abcdef0123456789abcdef";

  private static Evidence passage(String file, int first, int last) {
    return new Evidence(file, first, last, "text", 1, PAGE, "acme/lab/analyst", "call-1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          It waits [1].            | It waits [a/A.java:3-5].
          It waits [1][2].         | It waits [a/A.java:3-5][B.java:9].
          It waits [2, 1].         | It waits [B.java:9][a/A.java:3-5].
          It waits [1, 7][3].      | It waits [a/A.java:3-5].
          It waits [0].            | It waits .
          `buckets[1]` holds it    | `buckets[1]` holds it
          `grid[1][2]` holds it    | `grid[1][2]` holds it
          `at()[1]` holds it       | `at()[1]` holds it
          see A.java:4             | see A.java:4
          see A.java:400           | see A.java
          see Other.java:4-7 [2]   | see Other.java [B.java:9]
          """)
  void numbersBecomePlacesAndPlacesThatNoPassageHasGoWithoutLines(String said, String placed) {
    assertThat(Composing.placed(said, List.of(passage("a/A.java", 3, 5), passage("B.java", 9, 9))))
        .isEqualTo(placed);
  }
}
