package dev.colony.image;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/** Unpacks an image's layers, the lowest first, as a container's runtime does. */
final class UnpackedImage {

  private UnpackedImage() {}

  /**
   * Writes the files of all layers into the folder.
   *
   * @return the entries by name; the layers above replace those below
   */
  static Map<String, TarArchiveEntry> into(Path folder, Path tar) throws IOException {
    Map<String, TarArchiveEntry> entries = new LinkedHashMap<>();
    for (OciTarball.Blob layer : OciTarball.read(tar).layers()) {
      try (InputStream file = new BufferedInputStream(Files.newInputStream(tar));
          TarArchiveInputStream image = new TarArchiveInputStream(file)) {
        TarArchiveEntry blob = image.getNextEntry();
        while (!blob.getName().equals(layer.entry())) {
          blob = image.getNextEntry();
        }
        unpack(new GZIPInputStream(image), folder, entries);
      }
    }
    return entries;
  }

  private static void unpack(InputStream packed, Path folder, Map<String, TarArchiveEntry> entries)
      throws IOException {
    TarArchiveInputStream layer = new TarArchiveInputStream(packed);
    TarArchiveEntry entry = layer.getNextEntry();
    while (entry != null) {
      Path target = folder.resolve(entry.getName());
      if (entry.isDirectory()) {
        Files.createDirectories(target);
      } else if (entry.isSymbolicLink()) {
        Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
      } else {
        Files.createDirectories(target.getParent());
        Files.copy(layer, target);
        Files.setAttribute(target, "unix:mode", entry.getMode() & 0777);
        Files.setLastModifiedTime(target, FileTime.from(entry.getLastModifiedTime().toInstant()));
      }
      entries.put(entry.getName(), entry);
      entry = layer.getNextEntry();
    }
  }
}
