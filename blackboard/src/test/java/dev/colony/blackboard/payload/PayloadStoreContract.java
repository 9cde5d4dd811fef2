package dev.colony.blackboard.payload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every store of payloads does. */
abstract class PayloadStoreContract {

  /** An empty one. */
  abstract PayloadStore store();

  @Test
  void whatIsPutIsThere() throws IOException {
    byte[] payload = new byte[3 << 20];
    new Random(1).nextBytes(payload);
    store().put("j/0a/e1-b", payload);
    assertThat(store().get("j/0a/e1-b", Integer.MAX_VALUE)).contains(payload);
    assertThat(store().get("j/0a/e1-b", 5))
        .hasValueSatisfying(part -> assertThat(part).isEqualTo(Arrays.copyOf(payload, 5)));
  }

  @Test
  void whatWasNeverPutIsNotThere() throws IOException {
    assertThat(store().get("j/0a/e1-b", 100)).isEmpty();
    assertThat(store().list("j/", "", 100)).isEmpty();
    store().delete("j/0a/e1-b");
  }

  @Test
  void puttingItAgainChangesNothing() throws IOException {
    store().put("j/0a/e1-b", bytes("same"));
    store().put("j/0a/e1-b", bytes("same"));
    assertThat(store().get("j/0a/e1-b", 100)).contains(bytes("same"));
    assertThat(store().list("j/", "", 100)).containsExactly("j/0a/e1-b");
  }

  @Test
  void anEmptyOneIsListedToo() throws IOException {
    store().put("j/0a/e1-b.unused-5", new byte[0]);
    assertThat(store().list("j/", "", 100)).containsExactly("j/0a/e1-b.unused-5");
  }

  @Test
  void whatIsDeletedIsGoneAndTheRestStays() throws IOException {
    store().put("j/0a/e1-b", bytes("1"));
    store().put("j/0a/e2-b", bytes("2"));
    store().delete("j/0a/e1-b");
    store().delete("j/0a/e1-b");
    assertThat(store().list("j/", "", 100)).containsExactly("j/0a/e2-b");
    store().delete("j/0a/e2-b");
    assertThat(store().list("j/", "", 100)).isEmpty();
    store().put("j/0a/e3-b", bytes("3"));
    assertThat(store().get("j/0a/e3-b", 100)).contains(bytes("3"));
  }

  @Test
  void pagesOfAListHaveEachNameOnceAndInOrder() throws IOException {
    TreeSet<String> all = new TreeSet<>();
    for (String folder : List.of("0a", "0b", "ff")) {
      for (int i = 0; i < 5; i++) {
        String name = "j/%s/e%d-0".formatted(folder, i);
        store().put(name, bytes(name));
        all.add(name);
      }
    }
    store().put("j.journal", bytes("beside it"));
    store().put("k/0a/e1-0", bytes("another's"));
    for (int most : new int[] {1, 2, 3, 100}) {
      List<String> listed = new ArrayList<>();
      List<String> page;
      do {
        page = store().list("j/", listed.isEmpty() ? "" : listed.getLast(), most);
        listed.addAll(page);
      } while (page.size() == most);
      assertThat(listed).as("%d a page", most).containsExactlyElementsOf(all);
    }
    assertThat(store().list("j/0b/", "", 100))
        .hasSize(5)
        .allMatch(name -> name.startsWith("j/0b/"));
  }

  @Test
  void manyMayPutAndDeleteAtOnce() {
    List<CompletableFuture<Void>> all =
        IntStream.range(0, 40)
            .mapToObj(
                i -> CompletableFuture.runAsync(() -> comeAndGo(i), Thread::startVirtualThread))
            .toList();
    all.forEach(CompletableFuture::join);
  }

  /** In a folder that others leave empty meanwhile. */
  private void comeAndGo(int number) {
    try {
      for (int i = 0; i < 5; i++) {
        String name = "j/0a/e%d-%d".formatted(number, i);
        store().put(name, bytes(name));
        assertThat(store().get(name, 100)).contains(bytes(name));
        store().delete(name);
        assertThat(store().get(name, 100)).isEmpty();
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
