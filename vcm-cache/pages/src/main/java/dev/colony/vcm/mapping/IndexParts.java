package dev.colony.vcm.mapping;

import dev.colony.blackboard.clock.ClusterClock;
import dev.colony.vcm.VirtualContextPage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.MultiReader;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.NIOFSDirectory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts that indexes are made of, each over a few pages and known by what these say. Which part
 * a page is in depends on its id alone: of two maps that differ in one page all parts but two are
 * the same, and these are taken from the index that has them, or from a folder, where one is given.
 * Thread-safe.
 */
final class IndexParts {

  private static final Logger LOG = LoggerFactory.getLogger(IndexParts.class);

  /** Pages of a part, about: more of them make a change dear, fewer of them each search. */
  private static final int PAGES = 16;

  private static final int MOST_PARTS = 64;

  /** Parts that a folder keeps, those that were used last: of about half their text's size each. */
  private static final int MOST_KEPT = 1024;

  /** What decides what is in a part, beside the pages: parts of other programs are none of ours. */
  private static final List<String> MADE_BY =
      List.of(
          "IndexParts.class",
          "Passages.class",
          "PageText.class",
          "Words.class",
          "Words$IdentifierFilter.class",
          "IndexedPassages$GeneratedFiles.class",
          "stopwords.txt",
          "irregular.txt");

  private final Map<String, WeakReference<DirectoryReader>> living = new ConcurrentHashMap<>();
  private final Optional<Path> folder;

  /**
   * @param folder where parts are kept for other processes, and taken from: what cannot be read is
   *     made anew, and what cannot be written is passed over
   */
  IndexParts(Optional<Path> folder) {
    this.folder = folder;
  }

  /** An index over the pages, made by so many threads; blocks. */
  IndexReader of(Collection<VirtualContextPage> pages, int threads, int passageLines)
      throws IOException {
    int wanted = Integer.highestOneBit(Math.max(1, pages.size() / PAGES));
    List<List<VirtualContextPage>> parts = new ArrayList<>();
    for (int i = 0; i < Math.min(MOST_PARTS, wanted); i++) {
      parts.add(new ArrayList<>());
    }
    for (VirtualContextPage page : pages) {
      parts.get(Math.floorMod(page.id().value().hashCode(), parts.size())).add(page);
    }
    parts.removeIf(List::isEmpty);
    List<DirectoryReader> readers = Parallel.map(threads, parts, part -> part(part, passageLines));
    living.values().removeIf(one -> one.get() == null);
    return new MultiReader(readers.toArray(IndexReader[]::new));
  }

  private DirectoryReader part(List<VirtualContextPage> pages, int passageLines) {
    pages.sort(Comparator.comparing(VirtualContextPage::id));
    StringBuilder said = new StringBuilder().append(passageLines);
    pages.forEach(page ->
        said.append('\n')
            .append(page.id().value())
            .append(' ')
            .append(page.text().length())
            .append(' ')
            .append(page.text().hashCode()));
    String key = ContentIds.text(said.toString());
    WeakReference<DirectoryReader> before = living.get(key);
    DirectoryReader known = before == null ? null : before.get();
    if (known != null) {
      return known;
    }
    try {
      DirectoryReader part = kept(key, pages, passageLines);
      living.put(key, new WeakReference<>(part));
      return part;
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
  }

  private DirectoryReader kept(String key, List<VirtualContextPage> pages, int passageLines)
      throws IOException {
    if (folder.isEmpty()) {
      return DirectoryReader.open(made(pages, passageLines));
    }
    Path place = folder.get().resolve(MadeBy.DIGEST + "-" + key);
    if (Files.isDirectory(place)) {
      try {
        return read(place);
      } catch (IOException | RuntimeException damaged) {
        LOG.info("{} is made anew: {}", place, damaged.toString());
        delete(place);
      }
    }
    Directory made = made(pages, passageLines);
    try {
      write(made, place);
    } catch (IOException | RuntimeException full) {
      LOG.warn("an index is not kept in {}: {}", place, full.toString());
    }
    return DirectoryReader.open(made);
  }

  private static Directory made(List<VirtualContextPage> pages, int passageLines)
      throws IOException {
    Passages passages = new Passages(passageLines);
    ByteBuffersDirectory made = new ByteBuffersDirectory();
    try (IndexWriter writer =
        new IndexWriter(made, new IndexWriterConfig(Passages.analyzer()).setRAMBufferSizeMB(64))) {
      for (VirtualContextPage page : pages) {
        writer.addDocuments(passages.of(page));
      }
      writer.commit();
    }
    return made;
  }

  private static DirectoryReader read(Path place) throws IOException {
    ByteBuffersDirectory read = new ByteBuffersDirectory();
    try (Directory files = new NIOFSDirectory(place)) {
      copy(files, read);
    }
    DirectoryReader part = DirectoryReader.open(read);
    for (LeafReaderContext leaf : part.leaves()) {
      leaf.reader().checkIntegrity();
    }
    // Beside the times that the machine's file system gives.
    Files.setLastModifiedTime(place, FileTime.from(ClusterClock.local().instant()));
    return part;
  }

  private static void copy(Directory from, Directory to) throws IOException {
    for (String file : from.listAll()) {
      to.copyFrom(from, file, file, IOContext.READONCE);
    }
  }

  /** Under another name first: another process may read it as soon as it has its own. */
  private static void write(Directory made, Path place) throws IOException {
    Files.createDirectories(
        place.getParent(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Path unfinished = Files.createTempDirectory(place.getParent(), "part");
    try (Directory files = new NIOFSDirectory(unfinished)) {
      copy(made, files);
      Files.move(unfinished, place, StandardCopyOption.ATOMIC_MOVE);
      forget(place.getParent());
    } catch (FileAlreadyExistsException | DirectoryNotEmptyException another) {
      delete(unfinished);
    } catch (IOException failure) {
      delete(unfinished);
      throw failure;
    }
  }

  private static void forget(Path all) throws IOException {
    List<Path> kept;
    try (Stream<Path> parts = Files.list(all)) {
      kept = parts.toList();
    }
    if (kept.size() > MOST_KEPT) {
      List<Path> oldest =
          kept.stream()
              .sorted(Comparator.comparingLong(part -> part.toFile().lastModified()))
              .limit(kept.size() - MOST_KEPT)
              .toList();
      for (Path part : oldest) {
        delete(part);
      }
    }
  }

  private static void delete(Path part) {
    try (Stream<Path> files = Files.list(part)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(part);
    } catch (IOException another) {
      LOG.debug("{} is not deleted: {}", part, another.toString());
    }
  }

  /** Read where parts are kept first. */
  private static final class MadeBy {

    static final String DIGEST = digest();

    private static String digest() {
      StringBuilder all = new StringBuilder();
      for (String one : MADE_BY) {
        try (InputStream in = IndexParts.class.getResourceAsStream(one)) {
          all.append(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1));
        } catch (IOException unreadable) {
          throw new UncheckedIOException(one, unreadable);
        }
      }
      return ContentIds.text(all.toString());
    }
  }
}
