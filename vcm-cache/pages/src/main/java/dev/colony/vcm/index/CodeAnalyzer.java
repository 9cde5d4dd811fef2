package dev.colony.vcm.index;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.StopFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.miscellaneous.LengthFilter;
import org.apache.lucene.analysis.miscellaneous.WordDelimiterGraphFilter;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.util.CharTokenizer;

/**
 * The words of source code and of questions about it: identifiers whole and split at case changes,
 * digits and underscores, in lower case, English endings removed (Porter, "An Algorithm for Suffix
 * Stripping", 1980), so that allocating finds allocation, without the words that carry nothing in
 * either.
 */
final class CodeAnalyzer extends Analyzer {

  private static final int SPLITTING =
      WordDelimiterGraphFilter.GENERATE_WORD_PARTS
          | WordDelimiterGraphFilter.GENERATE_NUMBER_PARTS
          | WordDelimiterGraphFilter.SPLIT_ON_CASE_CHANGE
          | WordDelimiterGraphFilter.SPLIT_ON_NUMERICS
          | WordDelimiterGraphFilter.STEM_ENGLISH_POSSESSIVE
          | WordDelimiterGraphFilter.PRESERVE_ORIGINAL;

  private static final CharArraySet STOP_WORDS =
      new CharArraySet(
          List.of(
              ("a an and are as at be been but by can could did do does each for from get gets had"
                   + " has have how i if in into is it its me no not of on or our shall should so"
                   + " some such than that the their them then there these they this those to too"
                   + " was we were what when where which while who whom whose why will with would"
                   + " you your abstract boolean case class classes code def extends false final"
                   + " implements import int link long new null object override package param"
                   + " private protected public return static string throw throws true val var"
                   + " void")
                  .split(" ")),
          true);

  @Override
  protected TokenStreamComponents createComponents(String field) {
    Tokenizer words =
        CharTokenizer.fromTokenCharPredicate(c -> Character.isLetterOrDigit(c) || c == '_');
    TokenStream parts = new WordDelimiterGraphFilter(words, SPLITTING, null);
    TokenStream telling = new StopFilter(new LowerCaseFilter(parts), STOP_WORDS);
    return new TokenStreamComponents(
        words, new PorterStemFilter(new LengthFilter(telling, 2, 200)));
  }

  /** The distinct words of a question, in its order. */
  List<String> words(String question) {
    Set<String> words = new LinkedHashSet<>();
    try (TokenStream stream = tokenStream("question", question)) {
      CharTermAttribute word = stream.addAttribute(CharTermAttribute.class);
      stream.reset();
      while (stream.incrementToken()) {
        words.add(word.toString());
      }
      stream.end();
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
    return new ArrayList<>(words);
  }
}
