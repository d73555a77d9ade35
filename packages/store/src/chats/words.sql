-- What a search goes by.

-- Lower case without accents, with spaces for everything that is no letter or digit, and around each sign of a writing without spaces.
-- Independent of the database's locale but for the case of letters. Reads the first 20,000 characters.
create function plain_words(said text) returns text language sql immutable as $$
  select regexp_replace(
    regexp_replace(
      lower(regexp_replace(left(normalize(left(said, 20000), nfkd), 40000), '[\u0300-\u036f]', '', 'g')),
      '[\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u30fb\ufe00-\ufe6f\uff00-\uff0f\ufff0-\uffff]+',
      ' ', 'g'),
    '([\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u3099-\u309f\u30a1-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])',
    ' \1 ', 'g')
$$;

-- With the account among them, so that the index finds words of one account only.
create function line_words(said text, account text) returns tsvector language sql immutable as $$
  select to_tsvector('simple'::regconfig, plain_words(coalesce(said, ''))) || array_to_tsvector(array['@' || account])
$$;

-- Each word begins one of the line; signs of a writing without spaces follow each other. Null: there is no word.
create function words_query(wanted text, account text default null) returns tsquery language sql immutable as $$
  select case when account is null then found.query
              else found.query && ('''@' || replace(replace(account, '\', '\\'), '''', '''''') || '''')::tsquery end
    from (select to_tsquery('simple'::regconfig, string_agg(term, ' & ')) as query
            from (select string_agg(left(word, 500), ' <-> ' order by n) || ':*' as term
                    from regexp_split_to_table(wanted, '\s+') with ordinality as given (piece, m)
                         cross join lateral regexp_split_to_table(plain_words(piece), ' +') with ordinality as part (word, n)
                   where word <> ''
                   group by m) as terms) as found
$$;
