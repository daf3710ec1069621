package example;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.LineRecordReader;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reporter;

public class Lower extends FileInputFormat<LongWritable, Text> {
  @Override
  public RecordReader<LongWritable, Text> getRecordReader(InputSplit split, JobConf conf, Reporter reporter)
      throws IOException {
    return new LineRecordReader(conf, (FileSplit) split) {
      @Override
      public synchronized boolean next(LongWritable key, Text value) throws IOException {
        boolean more = super.next(key, value);
        if (more && value.toString().startsWith("bad")) {
          throw new IllegalStateException("found " + value);
        }
        return more;
      }
    };
  }
}
