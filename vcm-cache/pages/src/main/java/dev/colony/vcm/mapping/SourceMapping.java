package dev.colony.vcm.mapping;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.mapping.FileCutter.Cuts;
import dev.colony.vcm.mapping.FileCutter.Piece;
import dev.colony.vcm.mapping.GroupPacker.PackedPage;
import dev.colony.vcm.mapping.MappedFile.FilePlace;
import dev.colony.vcm.mapping.MappingMemory.Looked;
import dev.colony.vcm.mapping.MappingResult.SkippedFiles;
import dev.colony.vcm.mapping.PageRelations.Tie;
import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.SourceReading;
import dev.colony.vcm.source.SourceReading.FileText;
import dev.colony.vcm.source.SourceSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Maps one source, again and again: what has not changed since the last time is neither read nor
 * counted nor hashed again. Thread-safe; one mapping at a time.
 *
 * <p>A file is read to count its tokens and forgotten then, unless it fits in 64 MiB, and read a
 * second time where a page is made of it. So the memory that is needed beyond that is a few hundred
 * bytes a file and a page, and one file and one page for each thread. A file that is another one at
 * the second time has the whole mapping refused; what was mapped before stays.
 */
public final class SourceMapping {

  private final ContextPageSource source;
  private final GroupingSettings settings;
  private final SourceSettings limits;
  private final PageLabel label;
  private final FileCutter cutter;
  private State state = State.EMPTY;

  SourceMapping(
      ContextPageSource source,
      GroupingSettings settings,
      SourceSettings limits,
      TokenCounter counter,
      PageLabel label) {
    this.source = source;
    this.label = label;
    this.settings = settings;
    this.limits = limits;
    this.cutter = new FileCutter(settings.pageSizeTokens(), counter);
  }

  /**
   * What the last mapping came to.
   *
   * @param map its id
   * @param ordered its pages in their order
   */
  private record State(
      Optional<SourceReading.Read> reading,
      String map,
      List<PackedPage> ordered,
      Map<String, Looked> files,
      Map<List<String>, Mentions> names,
      ReadingOrder order,
      Map<Piece, PackedPage> pages,
      Map<List<PageId>, PageGroup> groups) {

    static final State EMPTY =
        new State(
            Optional.empty(),
            "",
            List.of(),
            Map.of(),
            Map.of(),
            ReadingOrder.EMPTY,
            Map.of(),
            Map.of());
  }

  /** More text than may be. */
  private static final class TooMuchText extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooMuchText() {
      super("too much text", null, false, false);
    }
  }

  /**
   * Goes on from what a mapping of the same source knew in another process, so that the first one
   * here reads only what has changed since. Does nothing where something was mapped here already.
   *
   * @return whether it is of use: not where it is of other settings, or does not hold together
   */
  public synchronized boolean recall(MappingMemory memory) {
    if (!memory.settings().equals(fingerprint()) || state != State.EMPTY) {
      return false;
    }
    try {
      MappingMemory.Recalled recalled = memory.recall(source::file);
      state =
          new State(
              Optional.empty(),
              "",
              List.of(),
              recalled.files(),
              recalled.names(),
              ReadingOrder.EMPTY,
              recalled.pages(),
              Map.of());
      return true;
    } catch (IllegalArgumentException | NullPointerException damaged) {
      return false;
    }
  }

  /**
   * What the last mapping knows. Empty where nothing was mapped, or where files of the source
   * cannot be read by their names, see {@link SourceReading.Read#reference}.
   */
  public synchronized Optional<MappingMemory> remember() {
    if (state.reading().flatMap(SourceReading.Read::reference).isEmpty()) {
      return Optional.empty();
    }
    List<MappedFile> files = new ArrayList<>();
    List<MappingMemory.Left> left = new ArrayList<>();
    for (SourceFile file : state.reading().get().files()) {
      switch (state.files().get(file.path())) {
        case Looked.Cut cut -> files.add(cut.file());
        case Looked.Left out ->
            left.add(new MappingMemory.Left(file.path(), out.file().stamp(), out.why()));
      }
    }
    return Optional.of(MappingMemory.of(fingerprint(), state.map(), files, left, state.ordered()));
  }

  /** What a file is cut by. */
  private String fingerprint() {
    return "2 %d %s %d %d %s"
        .formatted(
            settings.pageSizeTokens(),
            settings.tokenizer(),
            limits.maxFileBytes(),
            limits.maxLineChars(),
            ContentIds.text(label.canonical()));
  }

  /**
   * Looks the whole source through. Blocks.
   *
   * @param progress is called from several threads
   */
  public synchronized MappingResult map(SourceProgress progress) {
    return mapped(source.read(progress), progress);
  }

  /**
   * Looks at files that may have changed; at everything where nothing was mapped before. Blocks.
   *
   * @param changed paths; all other files are taken to be what they were
   */
  public synchronized MappingResult remap(Set<String> changed, SourceProgress progress) {
    return mapped(
        state
            .reading()
            .map(before -> source.reread(before, changed, progress))
            .orElseGet(() -> source.read(progress)),
        progress);
  }

  private MappingResult mapped(SourceReading reading, SourceProgress progress) {
    return switch (reading) {
      case SourceReading.Refused refused -> new MappingResult.Refused(refused.reason());
      case SourceReading.Read read -> {
        try {
          yield mapped(read, progress);
        } catch (TooMuchText tooMuch) {
          yield new MappingResult.Refused(
              "%s: holds more than %d bytes of text; colony.vcm.source.max-total-bytes sets the limit"
                  .formatted(read.label(), limits.maxTotalBytes()));
        } catch (SourceChanged changed) {
          yield new MappingResult.Refused(read.label() + ": " + changed.getMessage());
        }
      }
    };
  }

  private MappingResult mapped(SourceReading.Read read, SourceProgress progress) {
    List<FilePlace> places = places(read.files());
    Map<List<String>, Mentions> names = names(places);
    Map<String, Looked> looked = new HashMap<>();
    List<MappedFile> files = new ArrayList<>();
    for (Looked one : look(read.files(), places, names, progress)) {
      switch (one) {
        case Looked.Cut cut -> {
          looked.put(cut.file().path(), cut);
          files.add(cut.file());
        }
        case Looked.Left left -> looked.put(left.file().path(), left);
      }
    }
    if (files.isEmpty()) {
      return new MappingResult.Refused(read.label() + ": holds no text files");
    }
    ReadingOrder order = state.order().of(files, read.coChange());
    List<PackedPage> pages = pages(order.files(), read, progress);
    List<PageGroup> groups = GroupPacker.pack(pages, settings, read.coChange(), state.groups());
    Optional<String> tooLarge = GroupPacker.tooLarge(pages, groups, settings.cacheTokens());
    if (tooLarge.isPresent()) {
      return new MappingResult.Refused(read.label() + ": " + tooLarge.get());
    }
    Map<Piece, PackedPage> byPiece = new IdentityHashMap<>();
    pages.forEach(page -> byPiece.put(page.pieces().getFirst(), page));
    Map<List<PageId>, PageGroup> byPages = new HashMap<>();
    groups.forEach(group -> byPages.put(group.pages(), group));
    PageMap map = new PageMap(ContentIds.map(groups), read.label(), groups, files.size());
    state = new State(Optional.of(read), map.id(), pages, looked, names, order, byPiece, byPages);
    return new MappingResult.Mapped(
        map,
        new PageList(pages, new PageList.Lines(), label),
        SkippedFiles.of(read, looked.values()),
        read.reference(),
        files.stream().mapToLong(MappedFile::sizeBytes).sum());
  }

  private List<FilePlace> places(List<SourceFile> files) {
    List<FilePlace> places = new ArrayList<>(files.size());
    for (SourceFile file : files) {
      Looked before = state.files().get(file.path());
      places.add(before instanceof Looked.Cut cut ? cut.file().place() : FilePlace.of(file.path()));
    }
    return places;
  }

  /** The stems by directory; where none came since the last time, the very ones that there were. */
  private Map<List<String>, Mentions> names(List<FilePlace> places) {
    Map<List<String>, Set<String>> stems = new HashMap<>();
    for (FilePlace place : places) {
      stems.computeIfAbsent(place.directory(), key -> new HashSet<>()).add(place.stem());
    }
    Map<List<String>, Mentions> names = new HashMap<>();
    stems.forEach((directory, now) -> {
      Mentions before = state.names().get(directory);
      names.put(
          directory,
          before != null && before.stems().containsAll(now) ? before : new Mentions(now));
    });
    return names;
  }

  /** Each file as it was seen the last time, where it has not changed, else as it is now. */
  private List<Looked> look(
      List<SourceFile> files,
      List<FilePlace> places,
      Map<List<String>, Mentions> names,
      SourceProgress progress) {
    Looked[] looked = new Looked[files.size()];
    List<Integer> unknown = new ArrayList<>();
    long text = 0;
    long holding = 0;
    for (int i = 0; i < looked.length; i++) {
      looked[i] = unchanged(files.get(i), names.get(places.get(i).directory()));
      if (looked[i] == null) {
        unknown.add(i);
      } else if (looked[i] instanceof Looked.Cut cut) {
        text += cut.file().sizeBytes();
        holding += cut.file().held().isPresent() ? cut.file().sizeBytes() : 0;
      }
    }
    AtomicLong total = new AtomicLong(text);
    AtomicLong held = new AtomicLong(holding);
    AtomicInteger done = new AtomicInteger();
    Parallel.map(
        limits.threads(),
        unknown,
        i -> {
          FilePlace place = places.get(i);
          looked[i] = read(files.get(i), place, names.get(place.directory()), total, held);
          progress.at(SourceProgress.Stage.READING, done.incrementAndGet(), unknown.size());
          return i;
        });
    return List.of(looked);
  }

  /** What was seen the last time, if the file's stamp says that it is still so; else null. */
  private Looked unchanged(SourceFile file, Mentions names) {
    if (file.stamp().isEmpty()) {
      return null;
    }
    return switch (state.files().get(file.path())) {
      case Looked.Cut cut when cut.file().file().stamp().equals(file.stamp()) ->
          cut.file().searched() == names ? cut : null;
      case Looked.Left left when left.file().stamp().equals(file.stamp()) -> left;
      case null, default -> null;
    };
  }

  private Looked read(
      SourceFile file, FilePlace place, Mentions names, AtomicLong total, AtomicLong held) {
    return switch (file.content().get()) {
      case FileText.Left left -> new Looked.Left(file, left.why());
      case FileText.Text text -> {
        if (total.addAndGet(text.sizeBytes()) > limits.maxTotalBytes()) {
          throw new TooMuchText();
        }
        if (state.files().get(file.path()) instanceof Looked.Cut before
            && before.file().chars() == text.text().length()
            && before.file().searched() == names
            && before.file().digest().equals(ContentIds.text(text.text()))) {
          // Its pieces are the same, and so are the pages that are made of them.
          yield new Looked.Cut(before.file().stamped(file));
        }
        boolean hold = held.addAndGet(text.sizeBytes()) <= limits.holdBytes();
        if (!hold) {
          held.addAndGet(-text.sizeBytes());
        }
        yield new Looked.Cut(MappedFile.of(file, place, text, names, cutter, hold));
      }
    };
  }

  private List<PackedPage> pages(
      List<ReadingOrder.Placed> ordered, SourceReading.Read read, SourceProgress progress) {
    List<Piece> pieces = new ArrayList<>();
    List<FilePlace> places = new ArrayList<>();
    for (ReadingOrder.Placed placed : ordered) {
      for (Piece piece : placed.file().pieces()) {
        pieces.add(piece);
        places.add(placed.place());
      }
    }
    int[] sizes = pieces.stream().mapToInt(Piece::sizeTokens).toArray();
    List<Cuts.Run> runs =
        Cuts.cut(
            sizes,
            settings.pageSizeTokens(),
            next -> Tie.looseness(places.get(next - 1), places.get(next), read.coChange()));
    List<PackedPage> pages = new ArrayList<>(runs.size());
    List<Integer> unknown = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      Cuts.Run run = runs.get(i);
      PackedPage page = page(pieces.subList(run.from(), run.to()), places, run);
      pages.add(page);
      if (page.id().isEmpty()) {
        unknown.add(i);
      }
    }
    PageList.Lines lines = new PageList.Lines();
    AtomicInteger done = new AtomicInteger();
    List<PageId> ids =
        Parallel.map(
            limits.threads(),
            unknown,
            i -> {
              PageId id = ContentIds.page(label, lines.text(pages.get(i)));
              progress.at(SourceProgress.Stage.PAGING, done.incrementAndGet(), unknown.size());
              return id;
            });
    for (int i = 0; i < ids.size(); i++) {
      pages.set(unknown.get(i), pages.get(unknown.get(i)).withId(ids.get(i)));
    }
    return pages;
  }

  /** A page whose id is known if it was a page the last time. */
  private PackedPage page(List<Piece> pieces, List<FilePlace> places, Cuts.Run run) {
    PackedPage before = state.pages().get(pieces.getFirst());
    if (before != null
        && before.pieces().equals(pieces)
        && before.first().equals(places.get(run.from()))
        && before.last().equals(places.get(run.to() - 1))) {
      return before;
    }
    // No token of a vocabulary spans a line feed and the mark of a header, so sizes add up.
    int sizeTokens = pieces.stream().mapToInt(Piece::sizeTokens).sum();
    return new PackedPage(
        before != null && before.pieces().equals(pieces) ? before.id() : Optional.empty(),
        sizeTokens,
        pieces,
        places.get(run.from()),
        places.get(run.to() - 1));
  }

  /** A file of a source is no longer what it was when the source was mapped. */
  public static final class SourceChanged extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** In one line, which names the file. */
    public SourceChanged(String path) {
      super(path + ": the source changed while it was read: map it again");
    }
  }
}
