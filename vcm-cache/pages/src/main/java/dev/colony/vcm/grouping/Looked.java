package dev.colony.vcm.grouping;

import dev.colony.vcm.source.FileText;
import dev.colony.vcm.source.SourceFile;

/** What was seen of a file: what it was cut to, or why it is left out. */
sealed interface Looked {

  record Cut(MappedFile file) implements Looked {}

  record Left(SourceFile file, FileText.Why why) implements Looked {}
}
